import { secretNameKind, type SecretKind } from "#shared/masking/secret-names.ts";
import { KEY_HOLDERS } from "#shared/masking/secret-words.ts";
import { holdsSecrets, isHeldSecret } from "#shared/masking/structure/secret-holders.ts";

const PLURAL = /(?<=password|passwd|token|key|credential)s$/iu;
/** Names of fields with the value that a name beside them or the key above describes. */
export const VALUE_KEYS: ReadonlySet<string> = new Set(["value", "Value", "ParameterValue"]);

/** The context that keys without a value, further up in YAML, give to the lines below them. */
export class KeysAbove {
  /** Looks secret: `password:`, `passwords:`. */
  #below: { readonly column: number; readonly kind: SecretKind } | undefined;
  /** Has a mapping whose `key` is a secret: `jwt:`. */
  #keyHolder: number | undefined;
  /** Has a mapping that holds secrets, or a list of such mappings: `secrets:`, `credentials:`. */
  #holder: { readonly column: number; firstColumn: number | undefined } | undefined;

  /** The kind of secret that the value of a key is; of one without a value, that those below it are. */
  kindOf(column: number, key: string, value: string): SecretKind | undefined {
    if (this.#below !== undefined && column <= this.#below.column) this.#below = undefined;
    if (this.#holder !== undefined && column <= this.#holder.column) this.#holder = undefined;
    const isEmpty = value === "";
    const isKey = this.#isKey(column, key, isEmpty);
    const isHeld = this.#isHeld(column, key, value);
    if (isEmpty && this.#holder === undefined && holdsSecrets(key)) {
      this.#holder = { column, firstColumn: undefined };
    }
    // Inline, `Tokens: a` may be the name of a Secret.
    const own = isKey ? "SECRET_KEY" : secretNameKind(isEmpty ? key.replace(PLURAL, "") : key);
    const kind =
      own ?? (VALUE_KEYS.has(key) ? this.#below?.kind : undefined) ?? (isHeld ? "SECRET" : undefined);
    if (isEmpty && kind !== undefined && !key.includes(" ")) this.#below = { column, kind };
    return kind;
  }

  /** The kind of secret that a line without a key is. */
  kindOfText(column: number, isItem: boolean): SecretKind | undefined {
    const below = this.#below;
    if (below === undefined) return undefined;
    const isBelow = column > below.column || (isItem && column === below.column);
    if (!isBelow) this.#below = undefined;
    return isBelow ? below.kind : undefined;
  }

  /** True for the `key` of an object such as `jwt`. */
  #isKey(column: number, key: string, isEmpty: boolean): boolean {
    if (this.#keyHolder !== undefined && column <= this.#keyHolder) this.#keyHolder = undefined;
    const isKey = this.#keyHolder !== undefined && /^key$/iu.test(key);
    if (isEmpty && KEY_HOLDERS.has(key.toLowerCase())) this.#keyHolder = column;
    return isKey;
  }

  #isHeld(column: number, key: string, value: string): boolean {
    if (this.#holder === undefined) return false;
    this.#holder.firstColumn ??= column;
    return value !== "" && isHeldSecret(key, value, column > this.#holder.firstColumn);
  }
}
