import { UsageError } from "@svc/base/processes/exit";
import { bashScript } from "../../completion/bash.ts";
import { fishScript } from "../../completion/fish.ts";
import { type Position, positionsOf } from "../../completion/positions.ts";
import { zshScript } from "../../completion/zsh.ts";
import { defineCommand } from "../../kit/command.ts";
import { didYouMean } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { SUMMARIES } from "../summaries.ts";

type Script = (positions: readonly Position[]) => string;

const SCRIPTS: Readonly<Record<string, Script>> = { bash: bashScript, zsh: zshScript, fish: fishScript };
const SHELLS = Object.keys(SCRIPTS);

export const completion = defineCommand({
	summary: SUMMARIES.completion,
	notes:
		"bash: source <(svc completion bash), in ~/.bashrc for good. zsh: source <(svc completion zsh), or save it as _svc in a folder\n" +
		"of $fpath. fish: svc completion fish > ~/.config/fish/completions/svc.fish",
	examples: ["svc completion bash", "svc completion zsh", "svc completion fish"],
	args: { shell: takes.word(SHELLS.join(", ")) },
	async run({ args }, { commands, out }) {
		const script = Object.hasOwn(SCRIPTS, args.shell) ? SCRIPTS[args.shell] : undefined;
		if (script === undefined) {
			const meant = didYouMean(args.shell, SHELLS);
			throw new UsageError(`There is no completion for "${args.shell}".${meant}`, `Shells: ${SHELLS.join(", ")}`);
		}
		await out.document(script(await positionsOf(commands)));
	},
});
