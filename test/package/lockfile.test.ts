import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const entries = [...leaves(lock)];

describe('the lockfile', () => {
  it('names no registry, so that each installation uses its own', () => {
    expect(entries.filter(({ path }) => path.includes('resolved'))).toEqual([]);
  });

  it('has addresses only where a package asks for funding', () => {
    const addresses = entries.filter(({ value }) => /^[a-z+]+:\/\//i.test(String(value)));
    expect(addresses.filter(({ path }) => !path.includes('funding'))).toEqual([]);
  });

  it('pins every package by its content', () => {
    const packages = Object.entries<{ integrity?: string; inBundle?: boolean }>(lock.packages).slice(1);
    const loose = packages.filter(([, { integrity, inBundle }]) => !integrity && !inBundle).map(([name]) => name);
    expect(packages.length).toBeGreaterThan(0);
    expect(loose).toEqual([]);
  });

  it('has no script that runs when it is installed, but of packages that package.json judges', () => {
    const packages = Object.entries<{ hasInstallScript?: boolean }>(lock.packages);
    const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    const names = scripted.map((path) => path.replace(/^.*node_modules\//, ''));
    expect(names.filter((name) => !(name in manifest.allowScripts))).toEqual([]);
    expect(Object.keys(manifest.scripts).filter((name) => /^((pre|post)?install|prepare)$/.test(name))).toEqual([]);
  });

  it('is that of this package, for the same Node', () => {
    const { name, version, engines } = lock.packages[''];
    expect({ name, version, engines }).toEqual({
      name: manifest.name,
      version: manifest.version,
      engines: manifest.engines,
    });
  });
});

/** Every plain value of a JSON document, with the keys that lead to it. */
function* leaves(json: Json, path: readonly string[] = []): Generator<{ path: readonly string[]; value: Json }> {
  if (typeof json !== 'object' || json === null) yield { path, value: json };
  else for (const [key, value] of Object.entries(json)) yield* leaves(value, [...path, key]);
}
