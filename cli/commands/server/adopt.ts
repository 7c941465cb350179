import { EXIT, type ExitCode, LocalError } from "@svc/base/processes/exit";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import type { Column } from "../../kit/output/table.ts";
import { askProgram } from "./own-program.ts";
import { isRecord } from "./probe.ts";

/** What the service's program says of a database and the pictures beside it. */
interface Adoption {
	readonly object: "adoption";
	readonly adopted: boolean;
	readonly database: Side;
	/** How many of some thousand pictures the database knows. */
	readonly pictures: Side & { readonly known: number; readonly unknown: number };
	/** Fingerprints of the deployment's secret: that of the data, and those that are here. */
	readonly secret: { readonly known: string | null; readonly given: readonly string[] };
	/** How many were made anew, or ended, by kind. */
	readonly lost: Readonly<Record<string, number>>;
}

interface Side {
	readonly place: string;
	readonly installation: string | null;
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Adoption>[] = [
	{ name: "adopted", value: ({ adopted }) => adopted },
	{ name: "database", value: ({ database }) => database.place },
	{ name: "database_installation", value: ({ database }) => database.installation },
	{ name: "pictures", value: ({ pictures }) => pictures.place },
	{ name: "pictures_installation", value: ({ pictures }) => pictures.installation },
	{ name: "known", value: ({ pictures }) => pictures.known },
	{ name: "unknown", value: ({ pictures }) => pictures.unknown },
	{ name: "secret", value: ({ secret }) => secret.known },
	{ name: "secret_given", value: ({ secret }) => secret.given.join(",") },
	{
		name: "lost",
		value: ({ lost }) =>
			Object.entries(lost)
				.map(([kind, count]) => `${kind}:${count}`)
				.join(","),
	},
];

export const adopt = defineCommand({
	summary: "Make the pictures belong to the database that is configured; the service is stopped",
	notes:
		"For a start that is refused because database and pictures do not belong together, where you know that they shall. Runs the\n" +
		"service's own program with the environment of this command: give it what the service is started with. No picture is touched;\n" +
		"those that the database does not know go to the trash a day later, and from there after 30 days (svc server trash).\n" +
		"Where the secret of the deployment is lost, it lets the data go on with another one. --dry-run only looks.",
	examples: ["svc server adopt --dry-run", "svc server adopt --yes"],
	args: {},
	async run(_given, context): Promise<ExitCode> {
		const { globals, out } = context;
		const found = await ask(context, []);
		const isLost = found.secret.known !== null && !found.secret.given.includes(found.secret.known);
		const belongs =
			!isLost && found.database.installation !== null && found.database.installation === found.pictures.installation;
		if (belongs || globals.dryRun) {
			await out.record(COLUMNS, found);
			if (!out.isJson) await out.note(belongs ? "They belong together already." : "Nothing was changed.");
			return EXIT.ok;
		}
		if (isEmpty(found))
			throw new LocalError(`There is no service in ${found.pictures.place}.`, "Set SVC_DATA_DIR to its folder.");
		if (isLost && !out.isJson) await out.note(withoutSecret(found));
		await confirm(context, question(found));
		await out.record(COLUMNS, await ask(context, ["--yes"]));
		return EXIT.ok;
	},
});

function isEmpty({ database, pictures }: Adoption): boolean {
	const { installation, known, unknown } = pictures;
	return database.installation === null && installation === null && known + unknown === 0;
}

function withoutSecret({ secret }: Adoption): string {
	return (
		`The data was made with the secret ${secret.known}, which is not here. Without it these no longer work: links in letters, codes\n` +
		"on their way, passkeys, keys that sign addresses of pictures, and the secrets of webhook endpoints, which get new ones."
	);
}

function question({ database, pictures }: Adoption): string {
	const { known, unknown } = pictures;
	return `Of ${known + unknown} pictures looked at in ${pictures.place}, ${database.place} knows ${known}. Make them its own?`;
}

function ask(context: Context, words: readonly string[]): Promise<Adoption> {
	return askProgram(context, ["adopt", ...words], {
		object: "adoption",
		isOne: ({ database, secret, pictures }) => [database, secret, pictures].every(isRecord),
	});
}
