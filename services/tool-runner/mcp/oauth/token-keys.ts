import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { TerminalError } from "#shared/errors.ts";
import { secretVariable, type Environment } from "#shared/service/environment.ts";

/** The variable of the keys. */
export const TOKEN_KEYS = "MCP_TOKEN_KEYS";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const REMEDY = `give it the output of \`echo "1:$(openssl rand -base64 32)"\`, in tool-runner.env of every tool-runner`;

/** The keys that encrypt what is stored of authorizations (AES-256-GCM), by their number; the first one is the key in use. */
export class TokenKeys {
  readonly #keys: ReadonlyMap<number, Buffer>;
  readonly #current: readonly [number: number, key: Buffer];

  private constructor(keys: ReadonlyMap<number, Buffer>, current: readonly [number, Buffer]) {
    this.#keys = keys;
    this.#current = current;
  }

  /**
   * The keys of `MCP_TOKEN_KEYS`: `2:KEY,1:KEY`, each 32 bytes in base64, under a number from 1 to 255. Undefined if it is not set.
   * Throws TerminalError that repeats no key.
   */
  static read(env: Environment): TokenKeys | undefined {
    const text = secretVariable(env, TOKEN_KEYS).trim();
    if (text === "") return undefined;
    const entries = text.split(",").map((part): readonly [number, Buffer] => {
      const { number = "", key = "" } = /^(?<number>\d{1,3}):(?<key>\S+)$/u.exec(part.trim())?.groups ?? {};
      return [Number(number), Buffer.from(key, "base64")];
    });
    const [current] = entries;
    const isWrong = entries.some(([number, key]) => number < 1 || number > 255 || key.length !== KEY_BYTES);
    if (current === undefined || isWrong || new Map(entries).size < entries.length) {
      throw new TerminalError(
        "invalid_environment",
        `environment variable ${TOKEN_KEYS} must be NUMBER:KEY, or several with commas, the newest first: numbers from 1 to 255, each once, and keys of ${KEY_BYTES} bytes in base64; ${REMEDY}`,
      );
    }
    return new TokenKeys(new Map(entries), current);
  }

  /** Encrypts a text; only the same `context` opens it again. */
  seal(text: string, context: string): Buffer {
    const [number, key] = this.#current;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([Buffer.of(number), iv, cipher.getAuthTag(), sealed]);
  }

  /** Throws TerminalError if the key is not there any more, or if the bytes or the context are others. */
  open(sealed: Buffer, context: string): string {
    const number = sealed.at(0) ?? 0;
    const key = this.#keys.get(number);
    if (key === undefined) {
      throw new TerminalError("no_key", `${TOKEN_KEYS} has no key ${number}, with which this is encrypted`);
    }
    const tagAt = 1 + IV_BYTES;
    const textAt = tagAt + TAG_BYTES;
    try {
      const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(1, tagAt), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(tagAt, textAt));
      return decipher.update(sealed.subarray(textAt), undefined, "utf8") + decipher.final("utf8");
    } catch (cause) {
      throw new TerminalError("no_key", `key ${number} of ${TOKEN_KEYS} is not the one that encrypted this`, {
        cause,
      });
    }
  }
}

/** Why a server cannot be used without the keys. */
export const KEYS_MISSING = `${TOKEN_KEYS} is not set, with which tokens are encrypted: ${REMEDY}`;
