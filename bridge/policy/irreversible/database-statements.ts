// Owns which text for a database destroys or changes data: SQL statements, and calls of mongo's shell.
// Reads only the words of a statement, not the tables.

/** Clients whose arguments and input are statements. */
const SQL_CLIENTS: ReadonlySet<string> = new Set(
  (
    "psql pgcli usql mysql mariadb mycli sqlite3 sqlite litecli duckdb clickhouse-client clickhouse cqlsh cockroach " +
    "sqlcmd mssql-cli bcp sqlplus isql snowsql snow bq trino presto hive beeline impala-shell spark-sql db2 nzsql vsql " +
    "turso wrangler heroku supabase prisma influx surreal dolt rqlite cypher-shell mysqlsh clickhouse-local chdb " +
    "spanner-cli ysqlsh edb-psql sqlite-utils gcloud aws az"
  ).split(" "),
);
/** Clients whose arguments are calls of a script. */
const DOCUMENT_SHELLS: ReadonlySet<string> = new Set(["mongosh", "mongo", "mysqlsh"]);
const REDIS_SHELLS: ReadonlySet<string> = new Set(["redis-cli", "valkey-cli", "keydb-cli"]);

/** `--command=DROP …`, `-cDROP …` */
const OPTION = /^-(?:-[\w-]+=|[A-Za-z](?=[A-Za-z]))/;
const LITERAL = /'(?:[^']|'')*'/g;
/** Statements that run text: string literals in them count. */
const RUNS_LITERALS = /\b(?:execute|do|prepare|call)\b/i;

const DESTROYS_DATA = new RegExp(
  [
    "\\bdrop\\s+[a-z]",
    '\\btruncate\\s+[\\w"`[]',
    "\\bdelete\\s+(?:\\w+\\s+)?from\\b",
    "\\balter\\s+[a-z]",
    "\\bupdate\\s+\\S+\\s+set\\b",
    "\\brename\\s+table\\b",
    "\\breplace\\s+into\\b",
    "\\b(?:purge|reset)\\s+(?:binary|master|slave|replica)\\b",
    "\\bpg_(?:terminate_backend|drop_\\w+)\\s*\\(",
    "\\brevoke\\s+[a-z]",
    "\\bmerge\\s+into\\b",
    "\\binsert\\s+overwrite\\b",
    "\\breassign\\s+owned\\b",
    "\\b(?:to|from)\\s+program\\b",
    "\\b(?:lo_unlink|xp_cmdshell)\\b",
    // Cypher and SurrealQL delete what they matched, by its name.
    "\\bdelete\\s+[a-z_]\\w*\\s*(?:[,;]|$)",
    "\\bremove\\s+(?:table|database|namespace|index|field|user|\\w+[.:]\\w)",
    // Commands of sqlite's shell.
    "^\\s*\\.(?:restore|clone)\\b",
  ].join("|"),
  "i",
);

const DESTROYS_DOCUMENTS =
  /\.(?:drop\w*|delete(?:One|Many)|remove|findOneAnd(?:Delete|Replace|Update)|findAndModify|bulkWrite|renameCollection|shutdownServer|update(?:One|Many)?|replaceOne)\s*\(|\b(?:dropDatabase|dropUser|dropRole)\b|\$(?:out|merge)\b|\b(?:run|admin)Command\s*\(\s*\{\s*["']?(?:drop\w*|delete|update|findAndModify|renameCollection|shutdown|kill\w*|convertToCapped)["']?\s*:/;

const DESTROYS_KEYS =
  /\bredis\.p?call\s*\(\s*["'](?:flush\w*|del|unlink|rename|restore|hdel|zrem\w*|srem|spop|[lr]pop|lrem|ltrim|getdel|xtrim|xdel|p?expire\w*|script|config|shutdown)["']/i;

/** Whether a program runs statements of a database. */
export function isDatabaseClient(name: string): boolean {
  return SQL_CLIENTS.has(name) || DOCUMENT_SHELLS.has(name) || REDIS_SHELLS.has(name);
}

/** Whether one of the texts that the client gets destroys or changes data. */
export function destroysData(name: string, texts: readonly string[]): boolean {
  if (REDIS_SHELLS.has(name)) return texts.some((text) => DESTROYS_KEYS.test(text));
  if (DOCUMENT_SHELLS.has(name) && texts.some((text) => DESTROYS_DOCUMENTS.test(text))) return true;
  return SQL_CLIENTS.has(name) && texts.some(isDestructive);
}

function isDestructive(text: string): boolean {
  const plain = withoutComments(text.replace(OPTION, ""));
  return DESTROYS_DATA.test(RUNS_LITERALS.test(plain) ? plain : plain.replaceAll(LITERAL, "''"));
}

// Removes comments, which could stand between two words. One pass: a regular expression would search
// each end from its start.
function withoutComments(text: string): string {
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const block = text.indexOf("/*", at);
    const line = text.indexOf("--", at);
    if (block < 0 && line < 0) break;
    const isBlock = block >= 0 && (line < 0 || block < line);
    const from = isBlock ? block : line;
    const end = isBlock ? text.indexOf("*/", from + 2) : text.indexOf("\n", from);
    // Without an end it may not be a comment.
    if (end < 0) break;
    plain += `${text.slice(at, from)} `;
    at = end + (isBlock ? 2 : 0);
  }
  return plain + text.slice(at);
}
