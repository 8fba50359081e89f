/** Has a digit, mixed case or a sign that words of a sentence do not have. */
export function looksGenerated(value: string): boolean {
  return (
    value.length >= 6 && (/\d/u.test(value) || /[a-z][A-Z]/u.test(value) || /[!@#$%^&*+/=~]/u.test(value))
  );
}
