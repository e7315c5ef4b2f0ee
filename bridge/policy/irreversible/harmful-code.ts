// Owns which calls in code of another language delete, end processes or run programs: they make a
// one-liner (`node -e`, `python -c`) as hard to undo as the command it replaces. The code is not
// parsed; names that the code builds count as well. Also owns which text for a database destroys or
// changes data: SQL statements, and calls of mongo's shell. Reads only the words of a statement,
// not the tables.

/** Grouped by effect. A dot before `exec` mostly belongs to a regular expression. */
const HARMFUL_CALLS: Readonly<Record<string, readonly RegExp[]>> = {
  "deletes files": [
    /\b(?:rm|rmdir|unlink|truncate|ftruncate)Sync\b/,
    /(?:^|[^\w$])(?:rmdir|unlink|unlinkat|rmtree|remove_tree|removedirs|rimraf|rm_rf|rm_r|rm_f|remove_entry\w*|remove_dir)\b/,
    /\bos\.(?:remove|truncate|unlink)\b/,
    /\bfrom\s+os\s+import\b[^;\n]{0,200}(?:\b(?:remove|unlink|rmdir|removedirs|truncate)\b|\*)/,
    /\b(?:remove|emptyDir|emptydir)Sync\b/,
    /(?:\b(?:fse|fsExtra|fs_extra|fs)|\bfs-extra["'`]\s*\))\.(?:remove|emptyDir|emptydir)\b/,
    /\brequire\(\s*["'`](?:del|trash|rimraf)["'`]\s*\)/,
    // A member called by its name as a string: `Deno["remove"](…)`.
    /\[\s*["'`](?:remove|removeSync|truncate|truncateSync|delete|unlink)["'`]\s*\]\s*\(/,
    /(?:^|[^\w$.>])f?truncate\s*[("'$]/,
    /\b(?:call|echo|eval|exe|execute|let\s+\w{1,40}\s*=)\s+delete\s*\(/,
    /\bfile:(?:delete|del_dir\w*)\b/,
    /\bremove(?:File|Directory\w*|PathForcibly)\b/,
    /\bFile\([^)]{0,200}\)\s*\.\s*delete\b/,
    /\.method\(\s*:(?:delete|unlink|rmdir|rm\w*)\b/,
    /\bshutil\.(?:rmtree|move)\b/,
    /\b(?:File|Dir|Pathname|IO)\.(?:delete|unlink|rmdir|truncate)\b/,
    /\bFileUtils\.(?:rm|remove|mv|safe_unlink)\w*/,
    /\bFiles?\.(?:delete|deleteIfExists|rm\w*)\b/,
    /\bDeno\.(?:remove|truncate)(?:Sync)?\b/,
    /\bfile\.remove\b/,
    /\.(?:deleteDir|deleteRecursively|deleteOnExit)\b/,
    /\.truncate\s*\(/,
    /\b(?:delete-file|delete-directory|move-file-to-trash)\b/,
    /\b(?:Remove-Item|Clear-Content|Clear-Disk|Format-Volume|Remove-\w+)\b/,
    /\bsend2trash\b|\bshell\.trashItem\b/,
    /\btell\b[^\n]{0,200}\bto delete\b|\bdelete every\b|\bempty (?:the )?trash\b/,
    /\bBun\.file\([^)]{0,200}\)\.(?:delete|unlink)/,
  ],
  "deletes data": [
    /\b(?:delete_all|destroy_all|drop_table|drop_database|truncate_tables|deleteMany|dropDatabase)\b/,
    /\.objects\b[^;]{0,200}\.delete\s*\(/,
    /\b(?:flushall|flushdb|flushAll|flushDb)\b/,
    /\b(?:drop|DROP|truncate|TRUNCATE)\s+(?:table|database|schema|TABLE|DATABASE|SCHEMA)\s+\w/,
    /\b(?:delete|DELETE)\s+(?:from|FROM)\s+\w/,
  ],
  "ends processes": [
    /\bprocess\.kill\b/,
    /\bos\.(?:kill|killpg|abort)\b/,
    /\bProcess\.kill\b/,
    /\bposix_kill\b/,
    /\bStop-(?:Process|Computer|Service)\b/,
  ],
  "runs programs": [
    /\bchild_process\b/,
    /\b(?:execSync|execFile|execFileSync|spawnSync|execa|execaSync|zx)\b/,
    /(?:^|[^\w$."'`])(?:spawn|popen|popen2|popen3|proc_open|shell_exec|passthru|pcntl_exec|system|system2|exec|execv|execvp|execl|qx|open3)\s*(?:\(|["'`{/]|q[qwx]?\W)/,
    /(?:^|[^\w$."'`])(?:system|exec|spawn)\s+(?:["'$@%:]|q[qwx]?\W)/,
    /\bos\.(?:system|popen|exec\w*|spawn\w*|posix_spawn\w*|startfile|execute)\b/,
    /\bfrom\s+os\s+import\b[^;\n]{0,200}\b(?:system|popen|exec\w*|spawn\w*|kill\w*)\b/,
    /\[\s*["'`](?:exec|spawn|system|run|Command)["'`]\s*\]\s*\(/,
    /\bos:cmd\b/,
    /\bio\.popen\b/,
    /\bsubprocess\b|\bcommands\.getoutput\b|\bpty\.spawn\b|\bpexpect\b/,
    /\b(?:Kernel|Process|IO|Open3|PTY)\.(?:system|exec|spawn|popen\w*|capture\w*|fork)\b/,
    /%x[\W]/,
    /\bDeno\.(?:run|Command)\b|\bBun\.(?:spawn|spawnSync|\$)/,
    /\b(?:ProcessBuilder|getRuntime)\b|\.execute\(\)/,
    /\bSystem\.(?:cmd|shell)\b|:os\.cmd\b|\bPort\.open\b/,
    /\b(?:shell-command|call-process|start-process|async-shell-command)\b/,
    /\bdo shell script\b/,
    /\b(?:Invoke-Expression|Invoke-Command|Start-Process|iex)\b/,
    /\bprocess\.(?:binding|dlopen|_linkedBinding)\b/,
  ],
  "builds the code that it runs": [
    /(?:^|[^\w$.])(?:Function|__import__|compile|globals|execfile)\s*\(/,
    /\bimportlib\b|\bvm\.(?:run\w*|Script)\b|\binstance_eval\b|\bclass_eval\b/,
    /\bgetattr\s*\((?:\s*(?:os|shutil|subprocess|pathlib|builtins|__builtins__)\b|[^)\n]{0,200}\+)/,
    /\.constructor\s*[.([]/,
    // A literal path is a file; any other expression may be the name of a module.
    /\b(?:require|import)\s*\(\s*(?!["'`][\w@./:-]*["'`]\s*\)|process\.(?:cwd|argv)\b|path\.|require\.resolve\b)/,
    /\[\s*["'`][^"'`\]]*["'`]\s*\+/,
    /\[\s*(?:atob|Buffer\.from|String\.from\w+)\s*\(/,
    // Letters written as numbers; the codes of terminal colours do not match.
    /(?:\\x[67][0-9a-fA-F]){2}|(?:\\u00[67][0-9a-fA-F]){2}/,
  ],
};

const EXPRESSIONS: readonly (readonly [string, RegExp])[] = Object.entries(HARMFUL_CALLS).map(
  ([what, sources]) => [what, new RegExp(sources.map(({ source }) => source).join("|"))],
);

/** Only the start of longer code is judged; the caller limits the whole. */
const MAX_CODE = 64 * 1024;

/** Returns what the code does that is hard to undo, or undefined. */
export function findHarmInCode(text: string): string | undefined {
  const code = text.slice(0, MAX_CODE);
  return EXPRESSIONS.find(([, expression]) => expression.test(code))?.[0];
}

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
