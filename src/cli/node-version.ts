/** The oldest Node that the package runs on, as `engines` in package.json has it. */
const OLDEST = [22, 12] as const;

/**
 * What is wrong with a version of Node, in a sentence; undefined if it will do.
 *
 * @param version - as `process.versions.node` has it, such as `24.1.0`.
 */
export function wrongWithNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  return isNewEnough
    ? undefined
    : `stacks-quota needs Node ${OLDEST.join('.')} or later, and this is Node ${version}: https://nodejs.org has a newer one.`;
}
