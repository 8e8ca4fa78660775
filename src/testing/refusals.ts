import { empty, json, type Page, page } from './routes/page.ts';
import type { ServiceSettings } from './settings.ts';

const LIMITED = 'API rate limit exceeded';

/** The page for a request that a limit refused. */
export function refusalPage({ status, body }: ServiceSettings['limited']): Page {
  if (body === 'json') return json(status, { message: LIMITED });
  if (body === 'empty') return empty(status);
  if (body === 'text') return page(status, 'text/plain', LIMITED);
  const html = `<html><head><title>${status}</title></head><body><h1>${LIMITED}</h1></body></html>`;
  return page(status, 'text/html', html);
}

/** The page for a request with a key that does not exist. */
export function unknownKeyPage(status: ServiceSettings['unknownKey']): Page {
  return status === 403
    ? json(403, { message: 'You cannot consume this service' })
    : json(401, { message: 'Invalid authentication credentials' });
}
