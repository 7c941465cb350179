import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { type Place, placesOf } from "../completion/places.ts";
import { zshScript } from "../completion/zsh.ts";
import { EXIT, UsageError } from "../exit.ts";
import { type Branch, defineLeaf, type Leaf } from "../leaf.ts";
import { didYouMean } from "../suggest.ts";

type Script = (places: readonly Place[]) => string;

const SCRIPTS: Readonly<Record<string, Script>> = { bash: bashScript, zsh: zshScript, fish: fishScript };
const SHELLS = Object.keys(SCRIPTS);

/** Given the tree rather than importing it, since it is part of it. */
export function completionOver(tree: Branch): Leaf {
	return defineLeaf({
		summary: "Print a shell's completion of svc",
		notes:
			"bash: source <(svc completion bash), in ~/.bashrc for good. zsh: source <(svc completion zsh), or save it as _svc in a folder\n" +
			"of $fpath. fish: svc completion fish > ~/.config/fish/completions/svc.fish",
		examples: ["svc completion bash", "svc completion zsh", "svc completion fish"],
		args: { shell: { type: "positional", required: true, description: SHELLS.join(", ") } },
		async run({ args }, { out }) {
			const script = Object.hasOwn(SCRIPTS, args.shell) ? SCRIPTS[args.shell] : undefined;
			if (script === undefined) {
				const meant = didYouMean(args.shell, SHELLS);
				throw new UsageError(`There is no completion for "${args.shell}".${meant}`, `Shells: ${SHELLS.join(", ")}`);
			}
			await out.document(script(await placesOf(tree)));
			return EXIT.ok;
		},
	});
}
