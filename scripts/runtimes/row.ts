/** What was seen of the package on one version of one runtime. */
export interface Row {
  readonly runtime: string;
  readonly version: string;
  /** How the package was used. */
  readonly ways: string;
  readonly result: string;
  readonly isRight: boolean;
}
