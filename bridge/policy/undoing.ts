// Owns the words by which scripts, packages and sub-commands say that they publish, deploy, migrate or
// delete: what nobody takes back. Only names are read here, never what stands behind them.

const VERBS =
  "publish|unpublish|deploy|undeploy|release|submit|migrate|migrations?|rollback|destroy|delete|drop|wipe|" +
  "purge|nuke|teardown|reset";

/** `db:reset`, `deploy-docs`, `clean:all`: for the beginning of a name. `killall-tests` and `undropped` say nothing. */
export const HARD_TO_UNDO = new RegExp(
  `(?:(?:[\\w.:/-]*[.:/_-])?(?:${VERBS})|clean|kill)(?:[.:/_-]|$)`,
);

const NAME = new RegExp(`^(?:${HARD_TO_UNDO.source})`, "i");

export function isHardToUndo(name: string): boolean {
  return NAME.test(name);
}

/** Tools that come as packages have short names: `kill-port`, `rmrf`, `@x/rimraf`. */
const PACKAGE = /(?:^|[@/_-])(?:rm|rmrf|rimraf|del|trash|fkill|kill|killport)(?:[/_-]|$)/i;

export function isHardToUndoPackage(name: string): boolean {
  return PACKAGE.test(name) || isHardToUndo(name.replace(/^@[^/]*\//, ""));
}
