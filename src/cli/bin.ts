#!/usr/bin/env node
import { wrongWithNode } from '../version.ts';

const problem = wrongWithNode(process.versions.node);
if (problem === undefined) {
  // Imported dynamically, because an older Node may fail to load it with an incomprehensible error.
  const { start } = await import('./process.ts');
  await start();
} else {
  console.error(`stacks-quota: Node ${problem}.`);
  process.exitCode = 1;
}
