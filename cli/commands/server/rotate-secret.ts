import { EXIT, type ExitCode } from "@svc/base/processes/exit";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { askProgram } from "./own-program.ts";

/** What the service's program says of the deployment's secret. */
interface SecretRotation {
	readonly object: "secret_rotation";
	readonly rotated: boolean;
	readonly place: string;
	readonly fingerprint: string | null;
	/** Until when the one before is taken. */
	readonly former_until: string | null;
	/** Open upload tickets, and links in letters that can still be used. */
	readonly tickets: number;
	readonly links: number;
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<SecretRotation>[] = fields(
	...(["rotated", "place", "fingerprint", "former_until", "tickets", "links"] as const),
);

const BY_VARIABLE =
	"A variable holds the secret: make another one (openssl rand -base64 32), set SVC_DEPLOYMENT_SECRET=<new>,<old> and restart the\n" +
	"processes one by one. svc server doctor says when <old> may go.";

export const rotateSecret = defineCommand({
	summary: "Give the deployment another secret; the service is stopped",
	notes:
		"For a secret that somebody may know, and for a service that moves over from an older release at once. Runs the service's own\n" +
		"program with the environment of this command: give it what the service is started with. Keys, tokens and sessions go on, and\n" +
		"what is sealed is sealed anew. The secret before is taken until all that was made with it has ended; --now ends that at once.\n" +
		"Where SVC_DEPLOYMENT_SECRET holds the secret it only seals what lies readable yet, and says what to set. --dry-run only looks.",
	examples: [
		"svc server rotate-secret --dry-run",
		"svc server rotate-secret --yes",
		"svc server rotate-secret --now --yes",
	],
	args: {
		now: takes.flag("Take the secret before no more: open tickets and links in letters end"),
	},
	async run({ args }, context): Promise<ExitCode> {
		const { globals, out } = context;
		const found = await ask(context, []);
		const ending = `${found.tickets} open upload tickets and ${found.links} links in letters`;
		if (globals.dryRun) {
			await out.record(COLUMNS, found);
			if (!out.isJson) await out.note(`Nothing was changed. With --now ${ending} would end.`);
			return EXIT.ok;
		}
		const what = args.now ? `${ending} end at once.` : "What was made with the one before goes on until it ends.";
		await confirm(context, `Make another secret in ${found.place}? ${what}`);
		const made = await ask(context, ["--yes", ...(args.now ? ["--now"] : [])]);
		await out.record(COLUMNS, made);
		if (!out.isJson)
			await out.note(made.rotated ? `Keep a copy of ${made.place} elsewhere: no backup holds it.` : BY_VARIABLE);
		return EXIT.ok;
	},
});

function ask(context: Context, words: readonly string[]): Promise<SecretRotation> {
	return askProgram(context, ["rotate-secret", ...words], {
		object: "secret_rotation",
		isOne: ({ tickets }) => typeof tickets === "number",
	});
}
