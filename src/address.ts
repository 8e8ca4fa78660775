/**
 * Checks the address of an account or a contract, its checksum included.
 *
 * @throws ConfigError (option `address`) that says exactly what is wrong with it.
 */
export function checkAddress(text: unknown): string {
  throw new Error(`to be written ${text}`);
}
