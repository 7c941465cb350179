// `npm start` runs this first: it installs what package.json names. In a checkout of Svc, what is named of Svc is packed into this folder
// before that; anywhere else it lies here already.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

function run(program, ...words) {
	const isCommand = program === "npm" && process.platform === "win32";
	const { status } = spawnSync(program, words, {
		cwd: at("."),
		stdio: ["ignore", "ignore", "inherit"],
		shell: isCommand,
	});
	if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(at("node_modules"))) console.error("Installing what this example needs: once …");
if (existsSync(at("../../svc.mjs")))
	run(process.execPath, at("../../svc.mjs"), "bun", at("../../deploy/pack.ts"), "--for", at("."));
run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund");
