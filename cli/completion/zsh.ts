import { type Choice, GLOBAL_CHOICES, type Position, positionName, valueFlags, wordsOf } from "./positions.ts";

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Entries in the form that `_describe` takes. */
function entries(choices: readonly Choice[]): string {
	return choices.map(({ word, description }) => quoted(`${word}:${description.replaceAll(":", "\\:")}`)).join(" ");
}

function positionLines(position: Position): string[] {
	const words = position.words.map((word) => ({ word, description: word }));
	return [
		`\t\t(${quoted(positionName(position))})`,
		`\t\t\tchoices=(${entries([...position.commands, ...words])})`,
		`\t\t\tflags=(${entries(position.flags)})`,
		`\t\t\tfiles=${position.takesWords && position.words.length === 0 ? 1 : 0} ;;`,
	];
}

function valueLine(pattern: string, word: string, values: readonly string[]): string {
	if (word === "--profile") {
		return `\t\t(${pattern}) compadd -- "\${(@f)$(svc profile list --field name 2>/dev/null)}"; return ;;`;
	}
	return `\t\t(${pattern}) ${values.length > 0 ? `compadd -- ${values.join(" ")}` : "_files"}; return ;;`;
}

function positionValues(position: Position): string[] {
	return valueFlags(position.flags).map(({ word, values }) =>
		valueLine(quoted(`${positionName(position)} ${word}`), word, values),
	);
}

/** `path` would be the shell's own search path, so the place among the words has another name. */
export function zshScript(positions: readonly Position[]): string {
	const below = positions.filter(({ path }) => path.length > 0);
	const globals = valueFlags(GLOBAL_CHOICES).map(({ word, values }) => valueLine(`*' ${word}'`, word, values));
	return `#compdef svc
# Completion of svc for zsh. Once: source <(svc completion zsh); for good: save it as _svc in a folder of $fpath
_svc() {
	local place="" word prev="\${words[CURRENT-1]}"
	local -a choices flags
	integer index files=0
	for ((index = 2; index < CURRENT; index++)); do
		word="\${words[index]}"
		case "$word" in
			(${wordsOf(valueFlags(GLOBAL_CHOICES), "|")}) ((index++)) ;;
			(-*) ;;
			(*)
				case "$place/$word" in
					(${below.map(positionName).join("|")}) place="$place/$word" ;;
				esac ;;
		esac
	done
	if [[ "\${words[CURRENT]}" == --*=* ]]; then
		prev="\${words[CURRENT]%%=*}"
		compset -P '*='
	fi
	case "$place $prev" in
${[...globals, ...positions.flatMap(positionValues)].join("\n")}
	esac
	case "$place" in
${positions.flatMap(positionLines).join("\n")}
	esac
	if [[ "\${words[CURRENT]}" == -* ]]; then
		flags+=(${entries(GLOBAL_CHOICES)})
		_describe -o flag flags
		return
	fi
	((\${#choices})) && _describe command choices
	((files)) && _files
	return 0
}

if [[ "\${funcstack[1]}" == _svc ]]; then
	_svc "$@"
else
	compdef _svc svc
fi
`;
}
