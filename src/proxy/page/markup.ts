import { STYLE } from './style.ts';

/** Three bars of a window, in both colour schemes. */
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%231f6fb2%22/%3E%3Cpath d=%22M4 12V9M8 12V4M12 12V7%22 stroke=%22%23fff%22 stroke-width=%222%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

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

/** The page, which runs nothing but this script. */
export function pageText(script: string): string {
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
<noscript><p class="card">This page needs JavaScript to follow the proxy. Without it: <a href="quota">quota</a>, <a href="queue">queue</a>.</p></noscript>
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
<footer><a href="quota">Quota as JSON</a><a href="queue">Queue as JSON</a><a href="metrics">Metrics for Prometheus</a></footer>
</div>
<script>${script}</script>
</body>
</html>
`;
}
