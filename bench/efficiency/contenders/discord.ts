import { REST } from '@discordjs/rest';
import type { Contender } from './contender.ts';
import { pathOf } from './ky.ts';

/** It puts a version into every address. */
const VERSION = /\/v\d+(?=\/)/;

/**
 * The REST client of discord.js, which paces itself by headers as well: one request after another. It reads other names and
 * seconds left where this service sends an instant, so a user has to translate the headers.
 */
export const discord: Contender = {
  name: '@discordjs/rest',
  setup: 'a translation of the headers, the limit of the second',
  usesGlobals: true,
  open({ origin, key, fetch, limits }) {
    const rest = new REST({
      api: origin,
      globalRequestsPerSecond: limits.second ?? Number.MAX_SAFE_INTEGER,
      headers: key === undefined ? {} : { 'x-api-key': key },
      async makeRequest(url, { method = 'GET', headers, signal }) {
        const init = { method, headers: headers as Record<string, string>, signal: signal as AbortSignal };
        const response = await fetch(url.replace(VERSION, ''), init);
        translate(response.headers);
        return response as never;
      },
    });
    return { call: (errand) => rest.get(pathOf(errand) as `/${string}`, { auth: false }) };
  },
};

function translate(headers: Headers): void {
  const reset = Number(headers.get('ratelimit-reset') ?? Number.NaN);
  const left = reset > 1e9 ? reset - Date.parse(headers.get('date') ?? '') / 1_000 : reset;
  copy('x-ratelimit-limit', headers.get('ratelimit-limit'));
  copy('x-ratelimit-remaining', headers.get('ratelimit-remaining'));
  copy('x-ratelimit-reset-after', Number.isFinite(left) ? String(left) : null);
  headers.set('x-ratelimit-bucket', 'all');

  function copy(name: string, value: string | null): void {
    if (value !== null) headers.set(name, value);
  }
}
