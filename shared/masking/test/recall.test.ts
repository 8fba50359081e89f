import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { masked } from "./masking-fixture.ts";

const read = (name: string) => readFileSync(join(import.meta.dirname, "corpus", name), "utf8").trimEnd();
/** Characters that a file should not have as they are. */
const readable = (text: string) =>
  text
    .replaceAll("{esc}", "\u001B")
    .replaceAll("{zw}", "\u200B")
    .replaceAll(String.raw`\u001b`, "\u001B");
/** Texts with their secrets between ⟦ and ⟧. */
const secretsOf = (name: string) => read(name).split("\n%%\n").map(readable);
const harmlessOf = (name: string) =>
  read(name)
    .split("\n")
    .map((line) => readable(line).replaceAll(String.raw`\n`, "\n"));

const SECRET = /⟦([^⟧]*)⟧/gu;
const plainOf = (text: string) => text.replaceAll(SECRET, "$1");
const mask = (text: string) => masked(text, { block: { pattern_groups: [] } }).text;

/** Those of the texts that still show one of their secrets. */
function leaks(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const result = mask(plainOf(text));
    const isShown = [...text.matchAll(SECRET)].some(([, secret = ""]) => result.includes(secret));
    return isShown ? [result] : [];
  });
}

/** Names in several languages and spellings, none of which a rule has as a whole. */
const NAMES = [
  ..."dbpassword DB_PASSWORD_2 dbPassword db-password db.password userpasswd ROOT_PWD smtppass adminpw".split(
    " ",
  ),
  ..."keyPassphrase STRIPE_API_KEY stripeApiKey githubtoken GH_TOKEN refreshToken redisauth CACHE_AUTH".split(
    " ",
  ),
  ..."clientSecret APP_SECRET sharedsecret signing_key encryptionKey mailCredentials".split(" "),
  ..."Datenbankpasswort DB_KENNWORT motDePasse contrasena_db senhaDoBanco wachtwoord haslo heslo lösenord".split(
    " ",
  ),
  ..."contraseña пароль_бд 数据库密码 パスワード 비밀번호 ｐａｓｓｗｏｒｄ p\u200Bassword".split(" "),
];
/** How a name and its value stand together. */
const STATEMENTS: Readonly<Record<string, (name: string, value: string) => string>> = {
  "a variable": (name, value) => `${name}=${value}\nmode=fast`,
  "a line of YAML": (name, value) => `host: db\n${name}: ${value}\nport: 5432`,
  "a log": (name, value) => `10:00 INFO connected ${name}=${value} host=db`,
  JSON: (name, value) => JSON.stringify({ host: "db", [name]: value, port: 5432 }),
  "JSON in JSON": (name, value) => JSON.stringify({ log: JSON.stringify({ [name]: value, n: 1 }) }),
  TOML: (name, value) => `[db]\n"${name}" = "${value}"\nport = 5432`,
  colours: (name, value) => `\u001B[36m${name}\u001B[0m: \u001B[32m${value}\u001B[0m\nhost: db`,
  "a table": (name, value) => `| host | ${name} |\n|---|---|\n| db | ${value} |`,
  CSV: (name, value) => `host,${name},port\ndb,${value},5432`,
  psql: (name, value) => ` host | ${name} \n------+------\n db   | ${value}\n(1 row)`,
  "rows of SQL": (name, value) => `INSERT INTO t (id, "${name}", host) VALUES (1, '${value}', 'db');`,
  "a setter": (name, value) => `config.set("${name}", "${value}");`,
  Python: (name, value) => `{'host': 'db', '${name}': '${value}'}`,
  HCL: (name, value) => `variable "${name}" {\n  type = string\n  default = "${value}"\n}`,
};
/** Passwords as people make them. */
const VALUES = ["Tulpe7", "x9!kq-Zw_2", "Blau.Haus=4"];

/** Before a name is searched in a longer text, the text is asked whether it may have one at all. */
const LONG = "the pods of the shop are up and serve at 12:00 on three nodes\n".repeat(5);

/** What the rules for blocks and setters, whose names are those of programs, do not reach. */
const isUsual = (statement: string, name: string) =>
  !/^(?:HCL|a setter)$/u.test(statement) || /^[\w.-]+$/u.test(name);

const GENERATED = Object.entries(STATEMENTS).flatMap(([statement, write]) =>
  NAMES.filter((name) => isUsual(statement, name)).flatMap((name, index) => {
    const value = VALUES[index % VALUES.length] ?? "";
    return [write(name, `⟦${value}⟧`)];
  }),
);

describe("what is found of planted secrets", () => {
  const report = (what: string, texts: readonly string[], found: readonly string[]) => {
    const share = (100 * (texts.length - found.length)) / texts.length;
    process.stdout.write(
      `      ${what}: ${texts.length - found.length} of ${texts.length}, ${share.toFixed(1)} %\n`,
    );
    return share;
  };

  it("is every one of those that the rules are made for", () => {
    const texts = secretsOf("listed-secrets.txt");
    const found = leaks(texts);
    expect(texts).to.have.length.at.least(220);
    report("listed", texts, found);
    expect(found).to.deep.equal([]);
  });

  it("is every one of names and statements joined at random, and what is around stays", () => {
    expect(GENERATED).to.have.length.at.least(500);
    const found = leaks(GENERATED);
    report("joined", GENERATED, found);
    expect(found).to.deep.equal([]);
    expect(leaks(GENERATED.map((text) => `${LONG}\n\n${text}`))).to.deep.equal([]);
    const changed = GENERATED.flatMap((text) => {
      const result = mask(plainOf(text)).replaceAll(/\[MASKED_[A-Z_]+:[0-9a-f]{6}\]/gu, "⟦⟧");
      return result === text.replaceAll(SECRET, "⟦⟧") ? [] : [result];
    });
    expect(changed).to.deep.equal([]);
  });

  for (const name of ["unseen-secrets.txt", "fresh-secrets.txt"]) {
    it(`is nearly every one of further lists: ${name}`, () => {
      const texts = secretsOf(name);
      const found = leaks(texts);
      expect(report(name, texts, found), found.join("\n")).to.be.at.least(97);
    });
  }

  it("is hardly anything of harmless texts: at most one of a hundred", () => {
    const texts = [...harmlessOf("harmless-lines.txt"), ...harmlessOf("fresh-harmless.txt")];
    expect(texts).to.have.length.at.least(400);
    const wrong = texts.flatMap((text) => (mask(text) === text ? [] : [mask(text)]));
    process.stdout.write(`      harmless texts that were masked: ${wrong.length} of ${texts.length}\n`);
    expect(wrong.length / texts.length, wrong.join("\n")).to.be.at.most(0.01);
  });
});
