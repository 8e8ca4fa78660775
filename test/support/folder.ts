import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder of a test file. */
export interface TestFolder {
  readonly path: string;
  /** A path in it at which nothing is. */
  newPath(): string;
  /** A file in it with this text. */
  fileWith(text: string): string;
}

/** Makes a folder that is removed after the last test of the file. */
export function testFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'stacks-quota-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  let paths = 0;
  const newPath = (): string => join(path, `${paths++}.test`);
  return {
    path,
    newPath,
    fileWith(text) {
      const file = newPath();
      writeFileSync(file, text);
      return file;
    },
  };
}
