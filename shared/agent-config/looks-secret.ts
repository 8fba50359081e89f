/** True if a variable of this name probably holds something that must not be shown. */
export function looksSecret(variable: string): boolean {
  return /key|token|secret|pass|pwd|cred|auth|private|cookie|dsn|database_url/iu.test(variable);
}
