// Owns whether the installed packages are those of the lockfile, by the list that npm itself keeps with
// them: after `npm ci` by hand nothing has to be installed again. Uses Node alone.

/**
 * Whether what is installed fits. Packages for other platforms are optional and may be missing; a version
 * too many is one that the lockfile does not have any more.
 *
 * @param {string} lockText package-lock.json
 * @param {string} installedText node_modules/.package-lock.json; "" where there is none
 * @returns {boolean}
 */
export function isInstalled(lockText, installedText) {
  const wanted = findPackages(lockText);
  const installed = findPackages(installedText);
  if (wanted === undefined || installed === undefined) return false;
  const isKnown = [...installed.keys()].every((path) => wanted.has(path));
  return isKnown && [...wanted].every(([path, one]) => isSame(one, installed.get(path)));
}

/** By their paths, without the project itself. */
function findPackages(text) {
  try {
    const { packages } = JSON.parse(text);
    return new Map(Object.entries(packages).filter(([path]) => path !== ""));
  } catch {
    // Absent, or cut off in the middle: then npm installs again.
    return undefined;
  }
}

function isSame(wanted, installed) {
  if (installed === undefined) return wanted.optional === true;
  return installed.version === wanted.version && installed.integrity === wanted.integrity;
}
