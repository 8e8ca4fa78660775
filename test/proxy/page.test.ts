import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BrowserPage, CHROMIUM, openBrowser } from '../support/browser.ts';
import { closeAll, INFO, KEY, minute, type Pair, pairOf, soon } from './support/pair.ts';

interface Node {
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly ignored?: boolean;
}

describe.skipIf(!CHROMIUM && !process.env.CI)('the page in a real browser', () => {
  let page: BrowserPage;
  let pair: Pair;
  let left = 5;

  const textOf = (id: string): Promise<string> => page.evaluate(`document.getElementById('${id}').innerText`);
  const width = (pixels: number): Promise<unknown> =>
    page.send('Emulation.setDeviceMetricsOverride', {
      width: pixels,
      height: 900,
      deviceScaleFactor: 1,
      mobile: false,
    });
  const scheme = (value: string): Promise<unknown> =>
    page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
  const accessible = async (): Promise<readonly Node[]> => {
    const { nodes } = (await page.send('Accessibility.getFullAXTree')) as { nodes: Node[] };
    return nodes.filter(({ ignored }) => !ignored);
  };

  beforeAll(async () => {
    pair = await pairOf((_, outgoing) => {
      left = Math.max(0, left - 1);
      const month = { 'x-ratelimit-limit-stacks-month': '1000', 'x-ratelimit-remaining-stacks-month': '300' };
      outgoing.writeHead(200, { ...minute(left, 5), ...month }).end('{}');
    });
    page = await openBrowser();
    await page.open(`${pair.url}/-/`);
    await vi.waitUntil(() => page.evaluate<boolean>("document.body?.dataset.drawn === 'yes'"), { timeout: 60_000 });
  });

  afterAll(async () => {
    await page?.close();
    await closeAll();
  });

  it('says that nothing is known yet, and what to do about it', async () => {
    expect(await textOf('headline')).toBe('Ready');
    expect(await textOf('windows')).toContain('No limit is known yet');
    expect(await page.evaluate("document.getElementById('month').hidden")).toBe(true);
  });

  it('follows what happens without being loaded again', async () => {
    await pair.ask(INFO);
    await soon(() => textOf('windows')).toMatch(/Each minute\s+4\s+of 5 units left/);
    expect(await textOf('headline')).toBe('Nothing waits');
    expect(await textOf('seconds-words')).toMatch(/^1 request in the last two minutes;/);
    expect(await textOf('minutes-words')).toContain('where the limit is 5. None was refused.');
    expect(await textOf('month-facts')).toMatch(/Left\s+300 of 1,000/);
    expect(await textOf('month-words')).toMatch(/^At the pace of the last 24 hours the month (lasts|runs out on)/);
    expect(await page.evaluate("document.querySelectorAll('#month-plot path').length")).toBe(4);
  });

  it('says what waits, and why', async () => {
    left = 1;
    const controller = new AbortController();
    await pair.ask(INFO);
    const calls = Array.from({ length: 10 }, () =>
      fetch(pair.url + INFO, { signal: controller.signal }).catch(() => {}),
    );
    await soon(() => textOf('headline')).toBe('10 calls wait');
    expect(await textOf('reason')).toMatch(/^The minute has 0 of 5 units .+\. A new call would take about \d+ (s|min)/);
    const rows: string[] = await page.evaluate(
      "[...document.querySelectorAll('#calls-rows tr')].map((row) => row.innerText)",
    );
    expect(rows).toHaveLength(8);
    expect(rows[0]).toMatch(/^1\s+GET \/extended\/v1\/info\s+0\s+\d+ s\s+The minute has 0 of 5 units/);
    expect(rows[1]).toMatch(/the same$/);
    expect(await textOf('calls-more')).toBe('and 2 more calls');
    expect(await page.evaluate('document.title')).toBe('10 waiting – stacks-quota');
    controller.abort();
    await Promise.all(calls);
    await soon(() => textOf('headline')).toBe('Nothing waits');
  });

  it('breaks no rule of its own policy, asks for nothing else, and has no error', async () => {
    expect(page.complaints).toEqual([]);
    const loaded: string[] = await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)",
    );
    expect(loaded.filter((path) => path !== '/-/events')).toEqual([]);
    const said: string = await page.evaluate('document.documentElement.outerHTML');
    expect(said).not.toContain(KEY);
  });

  it('runs nothing but its own script', async () => {
    const { headers } = await pair.ask('/-/');
    const policy = headers['content-security-policy'] as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const outcome = await page.evaluate(`(() => {
      const script = document.createElement('script');
      try { script.text = 'globalThis.isPlanted = true'; document.body.append(script); } catch {}
      return String(globalThis.isPlanted);
    })()`);
    expect(outcome).toBe('undefined');
  });

  it('has landmarks, headings, meters and words for its charts', async () => {
    const nodes = await accessible();
    const named = (role: string): (string | undefined)[] =>
      nodes.filter((node) => node.role?.value === role).map((node) => node.name?.value);
    for (const landmark of ['banner', 'main', 'contentinfo']) expect(named(landmark)).toHaveLength(1);
    expect(named('region')).toEqual(
      expect.arrayContaining(['Left of each window', 'What waits, and why', 'The month']),
    );
    expect(named('heading')).toEqual(expect.arrayContaining(['stacks-quota proxy', 'Left of each window']));
    expect(named('meter')).toEqual(['Left of the minute', 'Left of the month']);
    expect(named('figure').every(Boolean)).toBe(true);
    expect(named('button')).toContain('Pause');
    expect(await page.evaluate("document.querySelectorAll('[aria-live=polite]').length")).toBe(1);
    expect(
      await page.evaluate("[...document.querySelectorAll('svg')].every((svg) => svg.getAttribute('aria-hidden'))"),
    ).toBe(true);
  });

  it('says aloud only what changed, not each event', async () => {
    const changes: number = await page.evaluate(`new Promise((resolve) => {
      let changes = 0;
      new MutationObserver((records) => { changes += records.length; })
        .observe(document.getElementById('spoken'), { childList: true, characterData: true, subtree: true });
      let events = 0;
      new EventSource('/-/events').onmessage = function () { if (++events === 5) { this.close(); resolve(changes); } };
    })`);
    expect(changes).toBeLessThanOrEqual(1);
  });

  it('shows each chart as a table, too', async () => {
    await page.evaluate("document.querySelector('#seconds-table summary').click()");
    await soon(() => page.evaluate("document.querySelectorAll('#seconds-rows tr').length")).toBeGreaterThan(0);
  });

  it('can be used by keyboard alone, and paused', async () => {
    const press = async (key: string, code: number): Promise<void> => {
      for (const type of ['keyDown', 'keyUp']) {
        await page.send('Input.dispatchKeyEvent', {
          type,
          key,
          code: key,
          windowsVirtualKeyCode: code,
          text: key === 'Enter' ? '\r' : '',
        });
      }
    };
    await page.evaluate('document.activeElement.blur()');
    const visited: string[] = [];
    for (let turn = 0; turn < 7; turn++) {
      await press('Tab', 9);
      visited.push(await page.evaluate('document.activeElement.innerText'));
    }
    expect(visited.slice(0, 4)).toEqual(['Skip to the content', 'Pause', 'As a table', 'As a table']);
    expect(visited.slice(4)).toEqual(['Quota as JSON', 'Queue as JSON', 'Metrics for Prometheus']);
    await page.evaluate("document.getElementById('pause').focus()");
    await press('Enter', 13);
    expect(await textOf('live-words')).toBe('Paused');
    left = 4;
    const before = await textOf('updated');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await textOf('updated')).toBe(before);
    await press('Enter', 13);
    await soon(() => textOf('live-words')).toBe('Live');
  });

  it.for([400, 320, 1_200])('needs no scrolling sideways at a width of %i', async (pixels) => {
    await width(pixels);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(pixels);
  });

  it.for(['light', 'dark'])('has text that is told from its ground in the %s scheme', async (value) => {
    await scheme(value);
    const weak: string[] = await page.evaluate(CONTRASTS);
    expect(weak).toEqual([]);
  });

  it('says when the proxy is gone', async () => {
    await closeAll();
    await soon(() => textOf('live-words')).toBe('The proxy does not answer; trying again');
  });

  it('tries again after a 503, too', async () => {
    let asked = 0;
    const closing = createServer((_, outgoing) => {
      asked++;
      outgoing.writeHead(503).end();
    });
    await once(closing.listen(pair.port, '127.0.0.1'), 'listening');
    await vi.waitUntil(() => asked > 1, { timeout: 60_000 });
    closing.closeAllConnections();
    closing.close();
  });
});

/** Every text whose contrast with its ground is less than 4.5 to 1 (WCAG 2.2, 1.4.3), large ones included. */
const CONTRASTS = `(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (text) => {
    const [r, g, b] = rgb(text).map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if ((rgb(backgroundColor)[3] ?? 1) > 0) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('.page *')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
    .flatMap((element) => {
      const [one, other] = [light(getComputedStyle(element).color), light(ground(element))];
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      return ratio < 4.5 ? [element.textContent.slice(0, 40) + ' ' + ratio.toFixed(2)] : [];
    });
})()`;
