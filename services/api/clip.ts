/** A value as a message repeats it: the beginning is enough to know it by, and it may have megabytes. */
export function clip(value: string): string {
  return value.length <= 100 ? value : `${value.slice(0, 100).toWellFormed()}…`;
}
