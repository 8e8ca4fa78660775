import { ConfigError, quote } from '../errors.ts';
import { type Arguments, argument, flag, isText, whole } from '../validation/arguments.ts';
import type { Position } from './cursor.ts';

/** A position as it may have been given, with fields missing. */
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
 * @param owner - what the checkpoint is of, in the message: `'a walk'`.
 * @param own - what it is a checkpoint of, by itself, and `expected` what it should be.
 * @throws ConfigError if a field is missing, or if it is a checkpoint of something else.
 */
export function positionOf(
  owner: string,
  expected: string,
  own: string | undefined,
  { offset, total, recentKeys, isOver }: GivenPosition,
): Position {
  if (own !== undefined && own !== expected)
    throw new ConfigError('from', `belongs to ${owner} of ${quote(own)}, not of ${quote(expected)}`);
  if (
    own === undefined ||
    offset === undefined ||
    total === undefined ||
    recentKeys === undefined ||
    isOver === undefined
  )
    throw new ConfigError('from', `must be the checkpoint of ${owner}, with all its fields`);
  return { offset, total, recentKeys, isOver };
}
