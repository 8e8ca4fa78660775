/** What else ky would ask of its options, and find where somebody planted it on `Object.prototype`. */
export const NOT_ASKED_FOR: object = {
  json: undefined,
  searchParams: '',
  onDownloadProgress: undefined,
  onUploadProgress: undefined,
  hooks: {
    init: undefined,
    beforeRequest: undefined,
    beforeRetry: undefined,
    beforeError: undefined,
    afterResponse: undefined,
  },
};

/** Whether somebody planted something on every object: then what nobody asks for must be said, which takes its time. */
export function isPlanted(): boolean {
  return Object.keys(Object.prototype).length > 0;
}

/** What `fetch` is told of a request once more, so that nothing planted stands in for it: a redirect it follows takes the key along. */
export function ownOfRequest({ method, headers, redirect }: Request): RequestInit {
  return { method, headers, redirect };
}
