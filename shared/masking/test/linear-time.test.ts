import { expectLinear } from "../../../test/support/expect-linear.ts";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { masked } from "./masking-fixture.ts";

/** What makes backtracking expressions and nested parsers slow. */
const HOSTILE: Readonly<Record<string, (index: number) => string>> = {
  "a.": () => "a.",
  "a@": () => "a@",
  "log lines": (index) =>
    `10:00:${index} INFO id=${index} user=ann@example.com token=abcdef0123456789${index}\n`,
  "opening brackets": () => "[",
  "objects in objects": () => '{"a":',
  quotes: () => `["'`,
  apostrophes: () => `{a '`,
  "escaped quotes": () => '{\\"',
  "escaped apostrophes": () => "{\\'",
  backslashes: () => "\\",
  "open values": () => 'a="',
  names: () => "password=",
  base64: () => "QUJD",
  "base64 of base64": () => Buffer.from("QUJD").toString("base64"),
  "beginnings of JWTs": () => "eyJaaaaaaaa.",
  URLs: () => "a://b:",
  "PEM beginnings": () => "-----BEGIN PRIVATE KEY-----",
  "YAML that goes deeper": (index) => `${" ".repeat(index % 200)}data:\n`,
  "keys without an end": () => "a ",
  "beginnings of XML": () => "<password ",
  "maps of Go": () => "data:map[",
  headers: () => "Authorization: Bearer a",
  "Secrets behind prefixes": (index) => `${index}:kind: Secret\n${index}:data:\n`,
  "prefixes that change": (index) => `${"x".repeat(index % 50)} kind: Secret\n`,
  "flow mappings": () => "kind: Secret\ndata: {a: b\n",
  "many values in a flow mapping": (index) =>
    index === 0 ? "kind: Secret\ndata: {" : `a${index}: b${index}, `,
  "quotes in YAML": () => 'password: "a\n',
  "block scalars": () => "kind: Secret\ndata:\n  a: |\n    ---\n    # b\n",
  "ends of objects": () => '"kind":"Secret"},',
  "comments in JSON": () => "{ // a\n",
  "comments without an end": () => "{/*",
  "structs of Go": () => "Kind:Secret Data:map[a:[1 2 ",
  "rows of a table": (index) => (index === 0 ? "user | password\n-----|-----\n" : "a | b\n"),
  "headers of tables": () => "password,token\n",
  "separators of values": () => "password=a,",
  "tags in values": () => "password=a<b ",
  "tags with attributes": () => '<a name="password" value="',
  CDATA: () => "<password><![CDATA[",
  entities: () => "password&quot;:&quot;",
  "percent-encoding": () => "password%3D",
  "URLs with at signs": () => "a://b:c@",
  "ends of PEM": () => "-----BEGIN PRIVATE KEY-----\n> a\n",
  "changes of values": () => 'password = "a" -> ',
  SQL: () => "identified by '",
  "lines of .pgpass": () => "a:5432:b:c:d:",
  "hosts and ports": () => "a:12345:",
  "ENV of a Dockerfile": () => "ENV A b\n",
  "ENV without an end": () => "ENV ",
  "definitions of PHP": () => "define('PASSWORD','",
  "cells between tabs": () => "A_B\t",
  "options of commands": () => "curl -b mongo ldapsearch docker login ",
  "roles of SQL": () => "alter user ",
  "addresses without a scheme": () => "a:bcde@f:",
  "addresses relative to a scheme": () => ' //a:b@"',
  "members of keys": () => '{"kty":"oct","k":"',
  "objects below secrets": () => '{"secrets":{"a":"b1C2d3",',
  "mappings below secrets": (index) => `${" ".repeat(index % 50)}secrets:\n`,
  "columns with rules": () => "key value\n--- ---\n",
  "many columns with rules": (index) => (index === 0 ? "password b\n" : "- "),
  "references with defaults": () => "password: ${A:-",
  "keys of PuTTY": () => "Private-Lines: 1\na\n",
  "names in other languages": () => "пароль",
  "wide letters": () => "ｐ＝",
  colours: () => "\u001B[1mpassword\u001B[0m=a ",
  "colours without secrets": () => "\u001B[1m",
  "commands with options": () => "mysql -p net user a b ",
  "commands in lists": () => '["sshpass","-p",',
  "rows of SQL": (index) => (index === 0 ? "insert into t (a, password) values " : "(1,'a'),"),
  "columns of SQL": () => "insert into t (password,",
  "a row of SQL without an end": (index) => (index === 0 ? "insert into t (password) values (" : "f("),
  "lines of COPY": (index) => (index === 0 ? "copy t (a, password) from stdin;\n" : "1\ta\n"),
  "options of SQL": () => "create user 'a' ",
  "passwords in SQL": () => "set password for ",
  "blocks of HCL": () => 'variable "password" { a ',
  "blocks without an end": () => "password { default ",
  setters: () => 'set("password","',
  "calls of setters": () => ".password('",
  "configurations of devices": () => "username a password 7 ",
  "statements of devices": () => "set a ip a neighbor ",
  "keys of devices": () => "key 7 aaaa",
  "pipes of a shell": () => "echo a | ",
  "quotes in a pipe": () => 'echo "a',
  "here strings": () => "chpasswd <<< ",
  "answers to prompts": () => "password send ",
  "users of FTP": () => "USER a\nPASS ",
  "users of Redis": () => "ACL SETUSER a >",
  "clients of Redis": () => "AUTH a ",
  "cells of HTML": () => "<td>password</td><td>",
  "columns in capitals": (index) => (index === 0 ? "NAME  PASSWORD\n" : "a     b\n"),
  "headers in capitals": () => "A  PASSWORD\n",
  "names before a line": () => "password=\n  ",
  "words before a name": () => "api a key: ",
  "addresses with many at signs": () => "a://b:c@d@",
  "beginnings of tokens": () => "glpat-",
  "values that were masked": (index) => (index === 0 ? "DB_PASSWORD=abcdefgh1\n" : "abcdefgh1.x"),
  "nearly values that were masked": (index) => (index === 0 ? "DB_PASSWORD=a.b.c.d.e\n" : "a."),
};
const SIZE = (NIGHTLY ? 32 : 4) * 1024;
const BLOCK = { pattern_groups: ["all"], custom_patterns: [{ pattern: "(?i)(a+)+b", replacement: "x" }] };

describe("masking takes time proportional to the text", () => {
  for (const [name, part] of Object.entries(HOSTILE)) {
    it(`for ${name}`, () => {
      expectLinear(name, {
        size: SIZE,
        textOf: (size) => repeated(part, size),
        work: (text) => masked(text, { block: BLOCK }),
      });
    });
  }
});

function repeated(part: (index: number) => string, size: number): string {
  const parts: string[] = [];
  for (let index = 0, length = 0; length < size; index += 1) {
    const next = part(index);
    parts.push(next);
    length += next.length;
  }
  return parts.join("");
}
