/**
 * Writes `dist/sbom.json`, a software bill of materials in CycloneDX: this package, and the packages that are compiled into it, as
 * npm describes them. npm's own would be empty, because nothing is installed with this package. Without its serial number and
 * time, the same source has the same bill.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { bundledPackages } from './bundled-packages.ts';

interface Bill {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string; 'bom-ref': string } };
  components: { 'bom-ref': string; scope: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const nameOf = (path: string): string => {
  const { name, version } = JSON.parse(readFileSync(path, 'utf8'));
  return `${name}@${version}`;
};
const compiledIn = (await bundledPackages()).map((folder) => nameOf(`${folder}/package.json`));

const npm = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only'];
const bill = JSON.parse(execFileSync('npm', npm, { encoding: 'utf8', maxBuffer: 64e6 })) as Bill;
delete bill.serialNumber;
delete bill.metadata.timestamp;
bill.metadata.component.name = 'stacks-quota';
bill.components = bill.components
  .filter((component) => compiledIn.includes(component['bom-ref']))
  .map((component) => ({ ...component, scope: 'required' }));
bill.dependencies = [
  { ref: bill.metadata.component['bom-ref'], dependsOn: compiledIn },
  ...compiledIn.map((ref) => ({ ref, dependsOn: [] })),
];
writeFileSync('dist/sbom.json', `${JSON.stringify(bill, null, 2)}\n`);
