import { createHash } from 'node:crypto';
import { pageText } from './markup.ts';
import { drawBars } from './script/bars.ts';
import { createDom } from './script/dom.ts';
import { createDraw } from './script/draw.ts';
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

const PARTS: Parts = {
  createDom,
  createDraw,
  createFormat,
  headlineOf,
  drawWindows,
  drawBars,
  drawQueue,
  drawMonth,
  sayMonth,
};

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
