/** Has a digit, mixed case or a sign that words of a sentence do not have. */
export function looksGenerated(value: string): boolean {
  return (
    value.length >= 6 && (/\d/u.test(value) || /[a-z][A-Z]/u.test(value) || /[!@#$%^&*+/=~]/u.test(value))
  );
}

const NO_KEY =
  /\s|:\/\/|^[/~.]|^[\d.,:TZ+-]+[a-z]{0,3}$|^[\w-]+(?:\.[\w-]+)+(?::\d+)?$|[a-z]{3,}[-_][a-z]{3,}/u;

/** True for keys and passwords as generators make them: no path, date, address, list or words of a sentence. */
export function looksLikeKey(value: string): boolean {
  const isMixed = value.length >= 8 && /\d/u.test(value) && /[A-Za-z]/u.test(value);
  return isMixed && looksGenerated(value) && !NO_KEY.test(value);
}
