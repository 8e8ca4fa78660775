import { type HeaderLines, type Page, page } from './routes/page.ts';

const REASONS: Readonly<Record<number, string>> = {
  502: 'Bad gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway time-out',
  520: 'Web server is returning an unknown error',
  521: 'Web server is down',
  522: 'Connection timed out',
  523: 'Origin is unreachable',
  524: 'A timeout occurred',
  525: 'SSL handshake failed',
  526: 'Invalid SSL certificate',
  530: 'Origin DNS error',
};

/** The HTML page of Cloudflare, which is in front of the real service, for a status from 500. */
export function cloudflarePage(status: number, host: string): Page {
  const reason = REASONS[status] ?? 'Error';
  const html = `<!DOCTYPE html>
<html lang="en-US">
<head><title>${host} | ${status}: ${reason}</title></head>
<body><h1>${reason} <span>Error code ${status}</span></h1><p>Cloudflare Ray ID: <strong>8f2a6c4e1b3d5f70</strong></p></body>
</html>
`;
  const { headers, ...rest } = page(status, 'text/html; charset=UTF-8', html);
  const own: HeaderLines = [
    ['server', 'cloudflare'],
    ['cf-ray', '8f2a6c4e1b3d5f70-FRA'],
  ];
  return { ...rest, headers: [...headers, ...own] };
}
