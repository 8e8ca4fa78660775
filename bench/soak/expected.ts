/** Errors that faults, aborts and a closed client may cause. */
const EXPECTED = [
  'ConnectionError',
  'ServiceError',
  'ResponseShapeError',
  'QuotaExhaustedError',
  'ClosedError',
  'AbortError',
];

/** Whether an error may be caused by what a soak does; any other is a bug of the client. */
export function isExpected({ name }: Error): boolean {
  return EXPECTED.includes(name);
}
