import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileSink, lineOf, readFetched } from '../../../src/cli/assets/sink.ts';
import { UsageError } from '../../../src/cli/exit.ts';
import { runs } from '../../support/deep.ts';
import { testFolder } from '../../support/folder.ts';

const { newPath, fileWith } = testFolder();

describe('a file of lines', () => {
  it('has them whole and in order, however they were written', async () => {
    const path = newPath();
    const sink = await fileSink(path, 'new');
    const lines = Array.from({ length: 200 }, (_, index) => lineOf(`SP${index}`, { text: 'x'.repeat(index * 50) }));
    await Promise.all(lines.map((line) => sink.write(line)));
    await sink.close();
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
  });

  it('must not exist before', async () => {
    const path = fileWith('mine\n');
    await expect(fileSink(path, 'new')).rejects.toThrow(/already exists: continue it with --resume or replace it/);
    expect(readFileSync(path, 'utf8')).toBe('mine\n');
  });

  it('is replaced, or gone on with, where that is wanted', async () => {
    const path = fileWith('old\n');
    const more = await fileSink(path, 'append');
    await more.write('new\n');
    await more.close();
    expect(readFileSync(path, 'utf8')).toBe('old\nnew\n');
    const other = await fileSink(path, 'replace');
    await other.write('other\n');
    await other.close();
    expect(readFileSync(path, 'utf8')).toBe('other\n');
  });

  it('is left to the program that wrote first, where two write at once', async () => {
    const path = newPath();
    const first = await fileSink(path, 'append');
    const second = await fileSink(path, 'append');
    const line = lineOf('SP1', { text: 'x'.repeat(2e6) });
    await first.write(line);
    await expect(second.write('two\n')).rejects.toThrow(/is written by another program, too: continue with --resume/);
    await second.close();
    await first.write('three\n');
    await first.close();
    expect(readFileSync(path, 'utf8')).toBe(`${line}three\n`);
  });

  it('is not left behind, new and empty, to be in the way of the next attempt', async () => {
    const path = newPath();
    await (await fileSink(path, 'new')).close();
    expect(() => readFileSync(path)).toThrow(/ENOENT/);
  });

  it('is refused where it cannot be', async () => {
    await expect(fileSink(join(newPath(), 'x'), 'new')).rejects.toThrow(/cannot be opened: ENOENT\./);
    await expect(fileSink('/dev/full/x', 'new')).rejects.toThrow(UsageError);
  });

  it('fails when the disk is full, and each line after it', async () => {
    const sink = await fileSink('/dev/full', 'append');
    await expect(sink.write('one\n')).rejects.toThrow(/ENOSPC/);
    await expect(sink.write('two\n')).rejects.toThrow(/ENOSPC/);
    await sink.close();
  });
});

describe('taking a file up again', () => {
  it('finds what it holds', async () => {
    const path = fileWith(lineOf('SP1', { total: 1 }) + lineOf('SP2.a-contract', { results: ['"}'] }));
    expect([...(await readFetched(path))]).toEqual(['SP1', 'SP2.a-contract']);
  });

  it('finds nothing where there is none', async () => {
    expect((await readFetched(newPath())).size).toBe(0);
  });

  it('wherever a sudden end cut it, keeps the whole lines and cuts off the rest', async () => {
    const lines = [lineOf('SP1', { total: 1 }), lineOf('SP2', { memo: 'ü€😀'.repeat(9) }), lineOf('SP3', {})];
    const whole = Buffer.from(lines.join(''));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
        const path = newPath();
        writeFileSync(path, whole.subarray(0, length));
        const held = await readFetched(path);
        const kept = readFileSync(path, 'utf8');
        expect(kept).toBe(lines.slice(0, held.size).join(''));
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(length);
        expect(length - Buffer.byteLength(kept)).toBeLessThan(Buffer.byteLength(lines[held.size] ?? ' '));
      }),
      { numRuns: runs(15, 60) },
    );
  });

  it('finds lines that are longer than what is read at a time', async () => {
    const path = fileWith(lineOf('SP1', { text: 'x'.repeat(300_000) }) + lineOf('SP2', { text: 'y'.repeat(90_000) }));
    expect([...(await readFetched(path))]).toEqual(['SP1', 'SP2']);
  });

  it('reads no more of a file without an end than shows that it is another', async () => {
    await expect(readFetched('/dev/zero')).rejects.toThrow(
      '--resume: line 1 of /dev/zero was not written by this command',
    );
  });

  it.for([
    ['a letter', 'Dear reader\n'],
    ['a letter without an end', 'Dear reader'],
    ['other JSON', '{"name":"x"}\n'],
    ['lines of which one is damaged', `${lineOf('SP1', {})}{"address":"SP2","total\n${lineOf('SP3', {})}`],
  ])('leaves %s as it is', async ([, text = '']) => {
    const path = fileWith(text);
    await expect(readFetched(path)).rejects.toThrow(/^--resume: line \d of .* was not written by this command/);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
