/** A module of Node; undefined elsewhere. Obtained from `process`, because an import would break bundles for a browser. */
export function builtInModule<Name extends 'node:async_hooks' | 'node:diagnostics_channel'>(
  name: Name,
): ReturnType<typeof process.getBuiltinModule<Name>> | undefined {
  try {
    return globalThis.process?.getBuiltinModule?.(name);
  } catch {
    return undefined;
  }
}
