import { base64 } from "./masking-fixture.ts";

/** A value without a form of its own: only what is around it tells that it is a secret. */
export const VALUE = "Hunter2Secret99";
/** In base64, as in the data of a Secret. */
export const ENCODED = base64(VALUE);
/** Long, but a digest has the same form. */
export const HEX = "4f3c2b1a99887766554433221100ffee";
const OBJECT = { apiVersion: "v1", kind: "Secret", metadata: { name: "x" }, data: { foo: ENCODED } };
const JSON_LINES = JSON.stringify(OBJECT, null, 2).split("\n");
/** A Secret line by line. */
export const YAML_LINES = [
  "apiVersion: v1",
  "kind: Secret",
  "data:",
  `  foo: ${ENCODED}`,
  `  bar: ${ENCODED}`,
];
const json = (value: unknown) => JSON.stringify(value);
/** The lines, each behind a prefix. */
export const each = (lines: readonly string[], prefix: (index: number) => string) =>
  lines.map((line, index) => `${prefix(index)}${line}`).join("\n");
const stringData = (lines: string) => `apiVersion: v1\nkind: Secret\nstringData:\n${lines}`;

/** By what they are about, then by name: texts that must not keep VALUE, plain or in base64. */
export const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Secrets in YAML": {
    "a comment behind the kind": `kind: Secret # of the shop\ndata:\n  foo: ${ENCODED}\n`,
    "a comment behind data": `kind: Secret\ndata: # values\n  foo: ${ENCODED}\n`,
    "a tag of the kind": `kind: !!str Secret\ndata:\n  foo: ${ENCODED}\n`,
    "an anchor of data": `kind: Secret\ndata: &d\n  foo: ${ENCODED}\n`,
    "a tag of stringData": `kind: Secret\nstringData: !!map\n  foo: ${VALUE}\n`,
    "a flow mapping of several lines": `kind: Secret\ndata: {foo: QUFB,\n  bar: ${ENCODED},\n  baz: "${VALUE}"\n}\n`,
    "a separator in a block scalar": stringData(
      `  foo: |\n    a: 1\n    ---\n    ${VALUE}\n    ...\n    ${VALUE}\n`,
    ),
    "a fence in a block scalar": stringData(`  foo: |\n    \`\`\`\n    ${VALUE}\n    \`\`\`\n`),
    "a comment at the end of a block scalar": stringData(
      `  foo: |\n    a\n    # ${VALUE}\nmetadata:\n  name: x\n`,
    ),
    "a comment between keys": stringData(`  # foo: ${VALUE}\n  bar: x\n`),
    "a comment at the first column below data": `kind: Secret\ndata:\n# a\n  foo: ${ENCODED}\n`,
    "a quoted value that goes on at the first column": stringData(`  foo: "first\n${VALUE} second"\n`),
    "no kind but a type": `data:\n  foo: ${ENCODED}\nmetadata:\n  name: x\ntype: Opaque\n`,
    "no kind but a type of TLS": `data:\n  foo: ${ENCODED}\ntype: kubernetes.io/tls\n`,
    "a beginning in the data": `  foo: ${ENCODED}\n  bar: |\n    ${VALUE}\nkind: Secret\nmetadata:\n  name: x\n`,
    "a beginning in a value": `VyMg==\n  foo: ${ENCODED}\nkind: Secret\n`,
    "a string of JSON": json({ log: `kind: Secret # x\ndata:\n  foo: ${ENCODED}\n` }),
  },
  "Secrets behind prefixes": {
    "line numbers of cat": each(YAML_LINES, (index) => `     ${index + 1}\t`),
    "line numbers of grep": each(YAML_LINES, (index) => `${index + 1}:`),
    "names of files": each(YAML_LINES, () => "deploy/a.yaml:"),
    "names, numbers and context": each(
      YAML_LINES,
      (index) => `a.yaml${index === 1 ? ":" : "-"}${index + 9}${index === 1 ? ":" : "-"}`,
    ),
    "a quotation": each(YAML_LINES, () => "> "),
    comments: each(YAML_LINES, () => "# "),
    "comments of code": each(YAML_LINES, () => "// "),
    "times of a log": each(YAML_LINES, (index) => `2026-01-01T00:00:0${index}Z `),
    "times and levels": each(
      YAML_LINES,
      (index) => `2026-01-01 00:00:0${index},123 ${index === 1 ? "INFO" : "DEBUG"} `,
    ),
    "names of pods": each(YAML_LINES, () => "[pod/web-0/app] "),
    "JSON behind a level": each(JSON_LINES, () => "INFO "),
    "JSON in a quotation": each(JSON_LINES, () => "> "),
    "JSON behind numbers": each(JSON_LINES, (index) => `${index}\t`),
    "JSON that was added": each(JSON_LINES, () => "+"),
  },
  "Secrets in JSON and what resembles it": {
    "no kind but a type": json({ metadata: { name: "x" }, data: { foo: ENCODED }, type: "Opaque" }),
    "a list of typed objects": json([{ data: { foo: ENCODED }, type: "kubernetes.io/tls" }]),
    "items of typed objects": json({ items: [{ data: { foo: ENCODED }, type: "Opaque" }] }),
    "an escaped kind": json(OBJECT).replace('"Secret"', String.raw`"\u0053ecret"`),
    "an escaped key": json(OBJECT).replace('"data"', String.raw`"d\u0061ta"`),
    "keys in capitals": json({ ApiVersion: "v1", Kind: "Secret", Data: { foo: ENCODED } }),
    "keys of Python": `{'kind': 'Secret', 'string_data': {'foo': '${VALUE}'}}`,
    "bytes of Python": `{'kind': 'Secret', 'data': {'foo': b'${VALUE}'}}`,
    "an object of a client in Python": `{'kind': None, 'data': {'foo': '${ENCODED}'}, 'type': 'Opaque'}`,
    comments: `{\n "kind": "Secret", // the kind\n /* a */ "data": {"foo": "${ENCODED}"}\n}`,
    "an elision": `{"kind":"Secret", ... ,"data":{"foo":"${ENCODED}"}}`,
    "a comma too many": `{"kind":"Secret",,"data":{"foo":"${ENCODED}",},}`,
    "a beginning before data": `"data":{"foo":"${ENCODED}"},"kind":"Secret"}`,
    "a beginning in a key": `oo":"${ENCODED}"},"kind":"Secret","metadata":{}}`,
    "a beginning in a value": `VyMg==","foo":"${ENCODED}"},"kind":"Secret"}]}`,
    "a beginning in a line": `    "foo": "${ENCODED}"\n  },\n  "kind": "Secret"\n}`,
    "an end before the kind": `{"metadata":{"name":"x"},"data":{"foo":"${ENCODED}"},"ki`,
    "an answer of Vault": json({ lease_id: "", data: { data: { foo: VALUE } } }),
  },
  "Secrets printed by Go": {
    "a struct": `{TypeMeta:{Kind:Secret APIVersion:v1} Data:map[foo:[72 117]] StringData:map[foo:${VALUE} bar:x] Type:Opaque}`,
    "spaces in a value": `map[apiVersion:v1 kind:Secret stringData:map[foo:hello ${VALUE} bar:x]]`,
    "a bracket in a value": `map[apiVersion:v1 kind:Secret stringData:map[foo:a]b${VALUE} bar:x]]`,
  },
  "values that resemble references": {
    "a dollar": `password: $${VALUE}`,
    "a dollar of a variable": `DB_PASSWORD=$${VALUE}`,
    brackets: json({ password: `(${VALUE})` }),
    "a tag": json({ password: `<a>${VALUE}` }),
    "an open template": json({ password: `{{${VALUE}` }),
    "percent signs": `DB_PASSWORD=%${VALUE.toUpperCase()}%`,
    "a path": json({ password: `/${VALUE}/x` }),
  },
  "whole values": {
    "a semicolon": `DB_PASSWORD=p4;${VALUE}`,
    "a comma": `DB_PASSWORD=p4,${VALUE}`,
    "an ampersand": `DB_PASSWORD=p4&${VALUE}`,
    "a bar": `DB_PASSWORD=p4|${VALUE}`,
    "a bracket": `DB_PASSWORD=p4<${VALUE}`,
    "a quote": `DB_PASSWORD=p4'${VALUE}`,
    "a double quote": `DB_PASSWORD=p4"${VALUE}`,
    spaces: `DB_PASSWORD=p4 and ${VALUE}`,
    "quotes joined by a shell": `export DB_PASSWORD='p4'"'"'${VALUE}'`,
    "braces of ODBC": `Driver={x};Uid=a;Pwd={p4;${VALUE}};`,
    "words in YAML": `password: correct horse ${VALUE} staple`,
    "a long text in quotes": `DB_PASSWORD="${"word ".repeat(1_000)}${VALUE}"`,
    "a long option": `run --password "${"word ".repeat(1_000)}${VALUE}"`,
    "a long element": `<password>${"word ".repeat(1_000)}${VALUE}</password>`,
    "the new value of a change": `~ password = "old" -> "${VALUE}"`,
  },
  "names of secrets": Object.fromEntries(
    [
      ..."SECRET_KEY_BASE DBPASS PGPASS userpass DB_PASSWORD_PROD API_TOKEN_PROD API_KEYS API_TOKENS".split(
        " ",
      ),
      ..."APP_SECRETS SECRET_VALUE passwordValue AES_KEY SESSION_KEY COOKIE_KEY VAULT_UNSEAL_KEY".split(" "),
      ..."DB_PASSWORD_1 DB_PASSWORD_OLD AUTH_SALT PASSWORDS".split(" "),
    ].flatMap((name) => [
      [name, `${name}=${VALUE}`],
      [`${name} in hexadecimal`, `${name}=${HEX}`],
      [`${name} in JSON`, json({ [name]: VALUE })],
    ]),
  ),
  "names apart from their values": {
    "a parameter of AWS": json({ Name: "/prod/db/password", Type: "SecureString", Value: VALUE }),
    "a secure parameter of AWS": json({ Name: "/prod/db/thing", Type: "SecureString", Value: VALUE }),
    "a secret of AWS": json({ ARN: "x", Name: "db", SecretString: VALUE }),
    "Key and Value": json({ Key: "db_password", Value: VALUE }),
    "key and value": json({ key: "db_password", value: VALUE }),
    "a parameter of CloudFormation": json({ ParameterKey: "DBPassword", ParameterValue: VALUE }),
    "Name and Value in YAML": `- Name: DB_PASSWORD\n  Value: ${VALUE}\n`,
    "an attribute": `<add key="DbPassword" value="${VALUE}"/>`,
    "a property": `<property name="password" value="${VALUE}"/>`,
    "a property with an element": `<property name="password"><value>${VALUE}</value></property>`,
    CDATA: `<password><![CDATA[${VALUE}]]></password>`,
    "a nested value": json({ password: { value: VALUE } }),
    "a nested value in YAML": `password:\n  value: ${VALUE}\n`,
    "a list in YAML": `passwords:\n  - ${VALUE}\n- ${VALUE}\n`,
    "the next line in YAML": `password:\n  ${VALUE}\n`,
  },
  tables: {
    psql: ` user  | password\n-------+----------\n admin | ${VALUE}\n bob   | ${VALUE}\n(2 rows)\n`,
    "psql, one column": ` password\n----------\n ${VALUE}\n(1 row)\n`,
    "psql, extended": `-[ RECORD 1 ]---\nuser     | admin\npassword | ${VALUE}\n`,
    MySQL: `+-------+----------+\n| user  | password |\n+-------+----------+\n| admin | ${VALUE} |\n+-------+----------+\n`,
    Markdown: `| user | password |\n|---|:--|\n| admin | ${VALUE} |\n`,
    CSV: `id,user,password\n1,admin,${VALUE}\n2,"a,b","${VALUE}"\n`,
    TSV: `id\tpassword\n1\t${VALUE}\n`,
    "columns and rows": json({
      columns: ["user", "password"],
      rows: [
        ["admin", VALUE],
        ["bob", VALUE],
      ],
    }),
    "fields and values": json({ fields: [{ name: "user" }, { name: "password" }], values: [["a", VALUE]] }),
  },
  "other forms": {
    "a key in a quotation": `> -----BEGIN PRIVATE KEY-----\n> ${VALUE}\n> ${VALUE}\n> -----END PRIVATE KEY-----`,
    "a key in a block": `| -----BEGIN RSA PRIVATE KEY-----\n| ${VALUE}\n| -----END RSA PRIVATE KEY-----`,
    "a key in a list": json(["-----BEGIN RSA PRIVATE KEY-----", VALUE, "-----END RSA PRIVATE KEY-----"]),
    "a key behind times": ["-----BEGIN PRIVATE KEY-----", VALUE, "-----END PRIVATE KEY-----"]
      .map((line) => `[10:00:00] ${line}`)
      .join("\n"),
    netrc: `machine x login admin password ${VALUE}`,
    SQL: `CREATE USER a IDENTIFIED BY '${VALUE}'`,
    "SQL of Postgres": `ALTER USER a WITH PASSWORD '${VALUE}'`,
    "an address of Go": `root:${VALUE}@tcp(db:3306)/orders`,
    "a slash in a URL": `postgres://a:p4/${VALUE}@h/db`,
    "a number sign in a URL": `postgres://a:p4#${VALUE}@h/db`,
    "a question mark in a URL": `postgres://a:p4?${VALUE}@h/db`,
    "a bracket in a URL": `postgres://a:p4[${VALUE}@h/db`,
    "an at sign in a URL": `postgres://a:p4@${VALUE}@h/db`,
    "entities of HTML": `{&quot;password&quot;:&quot;${VALUE}&quot;}`,
    "percent-encoding": `body=password%3D${VALUE}%26x`,
    "JSON in percent-encoding": `q=%7B%22password%22%3A%22${VALUE}%22%7D`,
  },
};
