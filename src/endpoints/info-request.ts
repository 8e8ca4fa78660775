/** A request of the endpoint that the quota is read by. */
export interface InfoRequest {
  readonly endpoint: 'GET /extended/v1/info' | 'HEAD /extended/v1/info';
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

/** `GET /extended/v1/info`. */
export const GET_INFO: InfoRequest = {
  endpoint: 'GET /extended/v1/info',
  method: 'GET',
  path: '/extended/v1/info',
  query: '',
};

/** `HEAD /extended/v1/info`: the call "that reads only the response headers". */
export const HEAD_INFO: InfoRequest = { ...GET_INFO, endpoint: 'HEAD /extended/v1/info', method: 'HEAD' };
