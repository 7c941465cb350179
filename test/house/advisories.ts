/*
 * Asks the registry for known advisories about what bun.lock installs, and ends with 1 where there is one. A registry may not tell: then that
 * is said, since silence would be read as good news.
 *
 *   npm run advisories
 */

interface Advisory {
	readonly title: string;
	readonly severity: string;
	readonly url: string;
	readonly vulnerable_versions: string;
}

const child = Bun.spawn([process.execPath, "audit", "--json"], {
	stdio: ["ignore", "pipe", "pipe"],
	timeout: 120_000,
});
const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
await child.exited;
const advisories = advisoriesIn(out);
if (advisories === undefined) {
	const reason = err.trim().split("\n").at(-1) || "it did not answer";
	say(`NOT LOOKED FOR: the registry tells of no advisories, neither good nor bad (${reason})`);
} else {
	for (const [name, { severity, title, vulnerable_versions: versions, url }] of advisories)
		say(`${severity}: ${name} ${versions}: ${title} ${url}`);
	say(`${advisories.length} known for what bun.lock installs`);
	process.exitCode = advisories.length === 0 ? 0 : 1;
}

/** Undefined where it is no answer of a registry that has them. */
function advisoriesIn(text: string): readonly (readonly [name: string, Advisory])[] | undefined {
	try {
		const byName = JSON.parse(text) as Readonly<Record<string, readonly Advisory[]>>;
		return Object.entries(byName).flatMap(([name, all]) => all.map((advisory) => [name, advisory] as const));
	} catch {
		return undefined;
	}
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}
