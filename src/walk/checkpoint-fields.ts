import { ConfigError, quote } from '../errors.ts';
import { type Arguments, argument, flag, isText, whole } from '../validation/arguments.ts';
import type { Position } from './cursor.ts';

/** A position as a caller gives it: fields may be missing. */
type GivenPosition = { readonly [Name in keyof Position]?: Position[Name] | undefined };

/** The position before the first item. */
export const BEGINNING: Position = { offset: 0, total: 0, recentKeys: [], isOver: false };

/** Readers of the fields of a position, each of which may be missing. */
export const POSITION_FIELDS: Arguments<GivenPosition> = {
  offset: whole,
  total: whole,
  recentKeys: argument<readonly string[]>((value) => Array.isArray(value) && value.every(isText), 'a list of texts'),
  isOver: flag,
};

/**
 * The position of a checkpoint.
 *
 * @param what - what goes on from it, in messages: `'a walk'`.
 * @param subject - the address or the request of that.
 * @param stated - the address or the request that the checkpoint names.
 * @throws ConfigError if a field is missing, or if the checkpoint names another subject.
 */
export function positionOf(
  what: string,
  subject: string,
  stated: string | undefined,
  { offset, total, recentKeys, isOver }: GivenPosition,
): Position {
  if (stated !== undefined && stated !== subject)
    throw new ConfigError('from', `belongs to ${what} of ${quote(stated)}, not of ${quote(subject)}`);
  if (
    stated === undefined ||
    offset === undefined ||
    total === undefined ||
    recentKeys === undefined ||
    isOver === undefined
  )
    throw new ConfigError('from', `must be the checkpoint of ${what}, with all its fields`);
  return { offset, total, recentKeys, isOver };
}
