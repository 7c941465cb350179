import {
	type Choice,
	type FlagChoice,
	GLOBAL_CHOICES,
	KEPT_SECONDS,
	type Position,
	positionName,
	valueFlags,
	wordsOf,
} from "./positions.ts";

function quoted(text: string): string {
	return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

function condition(position: Position): string {
	return ` -n ${quoted(`__svc_at ${quoted(positionName(position))}`)}`;
}

function flagName(word: string): string {
	return word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
}

/** Ids with what stands beside them in the list. */
function idsOf(listedBy: readonly string[]): string {
	return listedBy.length === 0
		? ""
		: `(__svc_lines ${listedBy.join(" ")} -o tsv --limit 100 --timeout 3s (__svc_context) | cut -f1,2)`;
}

function flagLine({ word, description, takesValue, values, takesFile, listedBy }: FlagChoice, where: string): string {
	const profiles = word === "--profile" ? "(svc profile list --field name 2>/dev/null)" : "";
	const known = profiles || values.join(" ") || idsOf(listedBy);
	const none = takesFile ? " -r -F" : " -x";
	const takes = known === "" ? none : ` -x -a ${quoted(known)}`;
	return `complete -c svc${where} ${flagName(word)}${takesValue ? takes : ""} -d ${quoted(description)}`;
}

function wordLine({ word, description }: Choice, where: string): string {
	return `complete -c svc${where} -a ${word} -d ${quoted(description)}`;
}

function positionLines(position: Position): string[] {
	const where = condition(position);
	return [
		...position.commands.map((choice) => wordLine(choice, where)),
		...position.words.map((word) => wordLine({ word, description: word }, where)),
		...position.flags.map((flag) => flagLine(flag, where)),
		...(position.listedBy.length > 0 ? [`complete -c svc${where} -a ${quoted(idsOf(position.listedBy))}`] : []),
		...(position.takesFiles ? [`complete -c svc${where} -F`] : []),
	];
}

/** The completion script for fish 3.0 and later. */
export function fishScript(positions: readonly Position[]): string {
	const below = positions.filter(({ path }) => path.length > 0);
	return `# Completion of svc for fish. Once: svc completion fish | source; for good: save it as ~/.config/fish/completions/svc.fish
function __svc_place
	set -l place ""
	set -l skip 0
	for word in (commandline -opc)[2..-1]
		if test $skip = 1
			set skip 0
			continue
		end
		switch $word
			case ${wordsOf(valueFlags(GLOBAL_CHOICES))}
				set skip 1
			case '-*'
			case '*'
				if contains -- "$place/$word" ${below.map(positionName).join(" ")}
					set place "$place/$word"
				end
		end
	end
	echo $place
end

function __svc_context
	set -l flag ""
	for word in (commandline -opc)[2..-1]
		if test -n "$flag"
			echo $flag
			echo $word
			set flag ""
		else if contains -- $word --profile --app --user
			set flag $word
		end
	end
end

function __svc_lines
	set -l now (date +%s)
	if test -z "$__svc_kept"; or test "$argv" != "$__svc_kept_of"; or test (math $now - $__svc_kept_at) -ge ${KEPT_SECONDS}
		set -g __svc_kept (svc $argv 2>/dev/null)
		set -g __svc_kept_of "$argv"
		set -g __svc_kept_at $now
	end
	string join \\n $__svc_kept
end

function __svc_at
	test (__svc_place) = "$argv[1]"
end

complete -c svc -f
${GLOBAL_CHOICES.map((flag) => flagLine(flag, "")).join("\n")}
${positions.flatMap(positionLines).join("\n")}
`;
}
