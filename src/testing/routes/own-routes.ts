import { assetsPage, infoPage } from './assets.ts';
import type { OwnRoute } from './routes.ts';

/** The routes that the interface document specifies. */
export function ownRoutes(info: 200 | 404, assetsOf: (address: string) => number): OwnRoute[] {
  return [
    { name: 'GET /extended/v1/info', endpoint: 'info', page: () => infoPage(info) },
    {
      name: 'GET /extended/v1/address/{principal}/assets',
      endpoint: 'assets',
      page: (request) => assetsPage(request, assetsOf),
    },
  ];
}
