#!/usr/bin/env node
import { wrongWithNode } from './node-version.ts';

const problem = wrongWithNode(process.versions.node);
if (problem === undefined) {
  // Imported late, because an older Node fails to load it, with words that nobody understands.
  const { start } = await import('./process.ts');
  await start();
} else {
  console.error(problem);
  process.exitCode = 1;
}
