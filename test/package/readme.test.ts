import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const readme = readFileSync('README.md', 'utf8');

describe('the README', () => {
  it('says in its first sentence what people search for', () => {
    const [, sentence = ''] = /^# stacks-quota\n\n([^.]+)/.exec(readme) ?? [];
    expect(['rate limit', '429', 'Hiro Stacks API'].filter((words) => !sentence.includes(words))).toEqual([]);
  });

  it('is short enough to be read', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(280);
  });

  it('begins with the commands to try it and to test it', () => {
    const commands = readme.match(/npm ci && npm \w+/g) ?? [];
    expect(commands.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  });

  it('names the same test command that CI runs', () => {
    expect(readFileSync('.ci/run', 'utf8')).toContain('npm ci && npm test');
  });

  it('has a row for each option of a client, and for nothing else', () => {
    expect(firstCells(chapter(readme, 'Options of the client'))).toEqual(
      membersOf('src/options/client-options.ts', 'ClientOptions'),
    );
  });

  it('has a row for each option of a call, and for nothing else', () => {
    expect(firstCells(chapter(readme, 'Options of a call'))).toEqual(
      membersOf('src/options/client-options.ts', 'CallOptions'),
    );
  });

  it('has a row for each thing that a client can do, and for nothing else', () => {
    const said = firstCells(chapter(readme, 'Calls')).map((cell) => cell.replace(/\(.*/, ''));
    expect([...new Set(said)]).toEqual(membersOf('src/client/client.ts', 'Client'));
  });

  it('has a row for each error and its guard, and for nothing else', () => {
    const source = readFileSync('src/errors.ts', 'utf8');
    const errors = Array.from(source.matchAll(/^export (?:class|const) (\w+Error|is\w+)\b/gm), ([, name]) => name);
    expect(firstCells(chapter(readme, 'Errors'))).toEqual(errors.sort());
  });
});

describe('the other documents', () => {
  it('have a row for each option of a bulk, and for nothing else', () => {
    const page = readFileSync('docs/long-work.md', 'utf8');
    expect(firstCells(page)).toEqual(membersOf('src/bulk/options.ts', 'BulkOptions'));
  });

  it('have a row for each field of an error, and for nothing else', () => {
    const source = readFileSync('src/errors.ts', 'utf8');
    const fields = Array.from(source.matchAll(/declare readonly (\w+)/g), ([, field = '']) => field);
    const own = new Set(fields.filter((field) => field !== 'name'));
    expect(firstCells(chapter(readFileSync('docs/errors.md', 'utf8'), 'Fields'))).toEqual([...own].sort());
  });

  it('have a row for each type of event, and for nothing else', () => {
    const page = readFileSync('docs/watching.md', 'utf8');
    const events = readFileSync('src/events.ts', 'utf8');
    const types = Array.from(events.matchAll(/readonly type: '([\w-]+)'/g), ([, type]) => type);
    expect(firstCells(chapter(page, 'Events'))).toEqual(['type', ...types].sort());
  });

  it('have a row for each kind of reason for which a call waits, and for nothing else', () => {
    const page = readFileSync('docs/watching.md', 'utf8');
    const [, union = ''] =
      /^export type ReasonKind =([^;]+);/m.exec(readFileSync('src/quota/admission.ts', 'utf8')) ?? [];
    const kinds = Array.from(union.matchAll(/'([\w-]+)'/g), ([, kind]) => kind);
    expect(firstCells(chapter(page, 'Why a call waits'))).toEqual(['kind', ...kinds].sort());
  });

  it('have a row for each option of the mock service, and for nothing else', () => {
    const page = readFileSync('docs/testing.md', 'utf8');
    expect(firstCells(chapter(page, 'What the service may be like'))).toEqual(
      membersOf('src/testing/options.ts', 'MockServiceOptions'),
    );
  });

  it('have a row for each option of a share through Redis, and for nothing else', () => {
    const page = readFileSync('docs/sharing.md', 'utf8');
    expect(firstCells(chapter(page, 'Options of `redisShare`'))).toEqual(
      [
        ...membersOf('src/redis/share.ts', 'RedisShareOptions'),
        ...membersOf('src/sharing/share-options.ts', 'StoreOptions'),
      ].toSorted(),
    );
  });
});

/** What stands under a heading, up to the next. */
function chapter(markdown: string, heading: string): string {
  return markdown.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

/** The pieces of code in the first cells of tables, in the order of the alphabet. */
function firstCells(markdown: string): string[] {
  const cells = Array.from(markdown.matchAll(/^\| (`[^|]*) \|/gm), ([, cell = '']) => cell);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code)).sort();
}

/** The names of an interface's members, each once, in the order of the alphabet. */
function membersOf(path: string, name: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const members = file.statements.flatMap((statement) =>
    ts.isInterfaceDeclaration(statement) && statement.name.text === name ? [...statement.members] : [],
  );
  const names = members.flatMap((member) => (member.name && ts.isIdentifier(member.name) ? [member.name.text] : []));
  return [...new Set(names)].sort();
}
