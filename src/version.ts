/** The version of this package, as package.json has it: a test compares them. */
export const VERSION = '0.2.0';

/** The oldest supported version of Node, as in `engines` of package.json. */
const OLDEST = [22, 12] as const;

/**
 * What is wrong with a version of Node, to be read after its name; undefined if it is supported.
 *
 * @param version - as in `process.versions.node`, such as `24.1.0`.
 */
export function wrongWithNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  return isNewEnough
    ? undefined
    : `is version ${version}, and stacks-quota needs ${OLDEST.join('.')} or later: https://nodejs.org has a newer one`;
}
