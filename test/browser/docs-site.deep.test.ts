import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY_POINTS } from '../../scripts/entry-points.ts';
import { CHROMIUM, openBrowser } from '../support/browser.ts';
import { contrast } from '../support/contrast.ts';

const PAGES = [
  'index.html',
  'documents/Recipes.html',
  'documents/Architecture.html',
  'modules/stacks-quota.html',
  'interfaces/stacks-quota.Client.html',
  'functions/stacks-quota.createClient.html',
  'classes/stacks-quota.ServiceError.html',
];
const WIDTHS = [1300, 400];
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** Text as it is seen, with the colours of its letters and of what is behind them. */
interface SeenText {
  readonly words: string;
  readonly colour: readonly number[];
  readonly behind: readonly number[];
  readonly isLarge: boolean;
}

/** What a page looks like at one width. */
interface Look {
  readonly page: string;
  readonly width: number;
  readonly isDark: boolean;
  readonly texts: readonly SeenText[];
  readonly links: readonly string[];
  readonly headings: readonly string[];
  /** Pixels by which the page is wider than the window. */
  readonly tooWide: number;
  readonly brokenImages: readonly string[];
}

/** Runs in the browser: opens each page at each width in a frame, and reports what is seen. */
const LOOKER = `<!doctype html><iframe id="frame" height="1000" style="border: 0"></iframe><script type="module">
  const frame = document.getElementById('frame');
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const over = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const look = async (page, width) => {
    frame.width = width;
    frame.src = '/' + page;
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    const { contentWindow: view, contentDocument: shown } = frame;
    const ready = () => shown.body.style.display !== 'none' && shown.querySelectorAll('.tsd-navigation a').length > 8;
    while (!ready()) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const details of shown.querySelectorAll('.col-content details')) details.open = true;
    const texts = new Map();
    const walker = shown.createTreeWalker(shown.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const words = walker.currentNode.textContent.trim();
      const element = walker.currentNode.parentElement;
      if (!words || element.closest('script, style, svg, dialog') || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
      const style = view.getComputedStyle(element);
      const layers = ['#fff'];
      for (let up = element, at = 1; up; up = up.parentElement) layers.splice(at, 0, view.getComputedStyle(up).backgroundColor);
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const behind = over(layers);
      const seen = { words: words.slice(0, 40), colour: over([...layers, style.color]), behind, isLarge };
      texts.set(JSON.stringify([seen.colour, behind, isLarge]), seen);
    }
    return {
      page,
      width,
      isDark: view.matchMedia('(prefers-color-scheme: dark)').matches,
      texts: [...texts.values()],
      links: Array.from(shown.querySelectorAll('.tsd-navigation .tsd-accordion-summary, .tsd-navigation a'), (one) => one.textContent.trim()),
      headings: Array.from(shown.querySelectorAll('.col-content h1, .col-content h2, .col-content .tsd-member-summary-name'), (one) => one.checkVisibility() ? one.textContent.trim() : '').filter(Boolean),
      tooWide: shown.documentElement.scrollWidth - view.innerWidth,
      brokenImages: Array.from(shown.images).filter((image) => image.naturalWidth === 0).map((image) => image.src),
    };
  };
  const looks = [];
  for (const page of PAGES) for (const width of WIDTHS) looks.push(await look(page, width).catch((error) => ({ page, width, error: String(error) })));
  await fetch('/report', { method: 'POST', body: JSON.stringify(looks) });
</script>`;

describe.skipIf(!CHROMIUM && !process.env.CI)('the docs site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'docs-site-'));
  const looks: Record<'light' | 'dark', readonly Look[]> = { light: [], dark: [] };

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [
      'node_modules/typedoc/bin/typedoc',
      '--skipErrorChecking',
      '--out',
      folder,
    ]);
    for (const scheme of ['light', 'dark'] as const) looks[scheme] = await lookAt(folder, scheme);
  }, 900_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(['light', 'dark'] as const)('for readers who prefer %s', (scheme) => {
    it('is shown in that scheme', () => {
      expect(looks[scheme]).toHaveLength(PAGES.length * WIDTHS.length);
      expect(looks[scheme].filter(({ isDark }) => isDark !== (scheme === 'dark'))).toEqual([]);
    });

    it('has text that stands out from its background', () => {
      const faint = looks[scheme].flatMap(({ page, texts }) =>
        texts
          .filter(({ colour, behind, isLarge }) => contrast(colour, behind) < (isLarge ? 3 : 4.5))
          .map(({ words, colour, behind }) => `${page}: ${words} (${colour} on ${behind})`),
      );
      expect(faint).toEqual([]);
      expect(looks[scheme].every(({ texts }) => texts.length > 3)).toBe(true);
    });

    it('fits the window, and every picture is there', () => {
      const wrong = looks[scheme].filter(({ tooWide, brokenImages }) => tooWide > 0 || brokenImages.length > 0);
      expect(wrong.map(({ page, width, tooWide, brokenImages }) => ({ page, width, tooWide, brokenImages }))).toEqual(
        [],
      );
    });
  });

  it('lists the guides first, and the modules by the names they are imported by', () => {
    const links = looks.light[0]?.links ?? [];
    const folders = ['Guides', 'Reference', 'Project', 'Decisions'];
    expect([...new Set(links.filter((link) => folders.includes(link)))]).toEqual(folders);
    const modules = Object.keys(ENTRY_POINTS);
    expect([...new Set(links.filter((link) => modules.includes(link)))]).toEqual(modules);
    expect(links).toContain('Recipes');
  });

  it('begins the reference with createClient', () => {
    const { headings = [] } = looks.light.find(({ page }) => page === 'modules/stacks-quota.html') ?? {};
    expect(headings.slice(0, 5)).toEqual([
      'Module stacks-quota',
      'Client',
      'createClient',
      'createPool',
      'CallOptions',
    ]);
  });

  it('has one title on its first page', () => {
    const { headings = [] } = looks.light[0] ?? {};
    expect(headings.slice(0, 2)).toEqual(['stacks-quota', 'Quick start']);
  });
});

/** Serves a folder to a browser and returns what it reports. */
async function lookAt(folder: string, scheme: 'light' | 'dark'): Promise<readonly Look[]> {
  const looker = LOOKER.replace('PAGES', JSON.stringify(PAGES)).replace('WIDTHS', JSON.stringify(WIDTHS));
  const server: Server = createServer(async (request, response) => {
    if (request.url === '/report') {
      server.emit('reported', JSON.parse(await text(request)));
      return void response.end();
    }
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    const file = join(folder, path);
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/html');
    if (path === '/') response.end(looker);
    else if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const reported = once(server, 'reported');
  const site = await openBrowser();
  try {
    await site.send('Emulation.setDeviceMetricsOverride', {
      width: 1400,
      height: 1000,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await site.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    await site.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const [looks] = (await reported) as [readonly Look[]];
    return looks;
  } finally {
    await site.close();
    server.closeAllConnections();
    server.close();
  }
}
