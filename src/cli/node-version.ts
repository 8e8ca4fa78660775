/** The oldest supported version of Node, as in `engines` of package.json. */
const OLDEST = [22, 12] as const;

/**
 * A sentence about an unsupported version of Node; undefined if it is supported.
 *
 * @param version - as in `process.versions.node`, such as `24.1.0`.
 */
export function wrongWithNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  return isNewEnough
    ? undefined
    : `stacks-quota needs Node ${OLDEST.join('.')} or later, and this is Node ${version}: https://nodejs.org has a newer one.`;
}
