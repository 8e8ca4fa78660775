#!/usr/bin/env node
import { wrongWithNode } from './node-version.ts';

const problem = wrongWithNode(process.versions.node);
if (problem === undefined) {
  // Imported dynamically, because an older Node fails to load it with an incomprehensible error.
  const { start } = await import('./process.ts');
  await start();
} else {
  console.error(problem);
  process.exitCode = 1;
}
