/** Options that ky reads and we do not set, given explicitly where `Object.prototype` is polluted. */
export const KY_DEFAULTS: object = {
  // Not undefined, in whose place Node reads an inherited one.
  body: null,
  // An inherited one would send the key to another host.
  prefix: '',
  baseUrl: undefined,
  json: undefined,
  totalTimeout: false,
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

/** Whether `Object.prototype` has enumerable properties. Only then are options given that are otherwise left out, which costs time. */
export function isPrototypePolluted(): boolean {
  for (const _ in Object.prototype) return true;
  return false;
}

/**
 * Explicit copies of the request's own fields, so that polluted prototypes cannot override them: an inherited `redirect: 'follow'` would leak the key.
 * Where `body` is null, `fetch` sends that of the request.
 */
export function ownRequestFields({ method, headers, redirect }: Request): RequestInit {
  return { method, headers, redirect, body: null };
}
