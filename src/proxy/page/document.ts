import { createHash } from 'node:crypto';
import { drawBars } from './script/bars.ts';
import { createDom } from './script/dom.ts';
import { createFormat } from './script/format.ts';
import { headlineOf } from './script/headline.ts';
import { drawMonth } from './script/month.ts';
import { sayMonth } from './script/month-words.ts';
import { drawQueue } from './script/queue.ts';
import { type Parts, watch } from './script/watch.ts';
import { drawWindows } from './script/windows.ts';
import { STYLE } from './style.ts';

/** The page, and the headers that it is sent with. */
export interface HtmlDocument {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const PARTS: Parts = { createDom, createFormat, headlineOf, drawWindows, drawBars, drawQueue, drawMonth, sayMonth };

/** Three bars of a window, in both colour schemes. */
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%231f6fb2%22/%3E%3Cpath d=%22M4 12V9M8 12V4M12 12V7%22 stroke=%22%23fff%22 stroke-width=%222%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

let made: HtmlDocument | undefined;

/** The page to look at: one document that loads nothing, and runs nothing but its own script. */
export function htmlDocument(): HtmlDocument {
  made ??= make();
  return made;
}

function make(): HtmlDocument {
  const script = scriptText();
  const policy = [
    "default-src 'none'",
    `script-src '${hash(script)}'`,
    `style-src '${hash(STYLE)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    html: pageText(script),
    headers: {
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    },
  };
}

/** The script is the text of functions that need nothing from outside, so it is checked and built like any other code. */
function scriptText(): string {
  const parts = Object.entries(PARTS).map(([name, part]) => `${name}: ${part.toString()}`);
  return `'use strict';\n(${watch.toString()})({\n${parts.join(',\n')}\n});\n`;
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function chart(id: string, heading: string, name: string, from: string, until: string): string {
  return `<figure class="card" aria-labelledby="${id}-heading">
<h3 id="${id}-heading"><b>${heading}</b> <span>${name}</span></h3>
<div class="plot" id="${id}-plot"></div>
<div class="axis" aria-hidden="true"><span>${from}</span><span>${until}</span></div>
<figcaption id="${id}-words"></figcaption>
<details id="${id}-table"><summary>As a table</summary>
<table><thead><tr><th scope="col">When</th><th scope="col" class="n">Requests</th><th scope="col" class="n">Units</th><th scope="col" class="n">Refused</th></tr></thead><tbody id="${id}-rows"></tbody></table>
</details>
</figure>`;
}

function pageText(script: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>stacks-quota proxy</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<div class="page">
<a class="skip" href="#main">Skip to the content</a>
<header>
<h1>stacks-quota <span>proxy</span></h1>
<p class="live" id="live" data-state="live"><span class="dot" aria-hidden="true"></span><span id="live-words" role="status">Connecting</span><span id="updated"></span></p>
<button type="button" id="pause">Pause</button>
</header>
<noscript><p class="card">This page needs JavaScript to follow the proxy. Without it: <a href="/-/quota">quota</a>, <a href="/-/queue">queue</a>.</p></noscript>
<main id="main">
<section class="state" aria-label="State">
<p class="headline" id="headline">Connecting…</p>
<p class="reason" id="reason">&nbsp;</p>
<p class="sr" id="spoken" role="status" aria-live="polite"></p>
</section>
<section aria-labelledby="windows-heading">
<h2 id="windows-heading">Left of each window</h2>
<div class="windows" id="windows"></div>
</section>
<section aria-labelledby="charts-heading">
<h2 id="charts-heading" class="sr">Requests against the limit</h2>
<div class="pair">
${chart('seconds', 'Units each second', 'last two minutes', '2 min ago', 'now')}
${chart('minutes', 'Units each minute', 'last 20 minutes', '20 min ago', 'now')}
</div>
</section>
<section class="card month" id="month" aria-labelledby="month-heading" hidden>
<h2 id="month-heading">The month</h2>
<dl class="facts" id="month-facts"></dl>
<figure aria-labelledby="month-words">
<div class="plot" id="month-plot"></div>
<div class="axis" id="month-axis" aria-hidden="true"></div>
<figcaption><span id="month-words"></span> <span>The solid line is what was seen, the dotted one is assumed, the dashed one goes on at the same pace; the pale one would use the month evenly.</span></figcaption>
</figure>
</section>
<section class="card" aria-labelledby="queue-heading">
<h2 id="queue-heading">What waits, and why</h2>
<p class="empty" id="calls-none">No call waits.</p>
<div class="scroll" id="calls" hidden>
<table class="calls"><thead><tr><th scope="col" class="n">Place</th><th scope="col">Endpoint</th><th scope="col" class="n">Priority</th><th scope="col" class="n">Waits for</th><th scope="col">Why</th></tr></thead><tbody id="calls-rows"></tbody></table>
<p class="note" id="calls-more"></p>
</div>
</section>
</main>
<footer><a href="/-/quota">Quota as JSON</a><a href="/-/queue">Queue as JSON</a><a href="/-/metrics">Metrics for Prometheus</a></footer>
</div>
<script>${script}</script>
</body>
</html>
`;
}
