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
		`\t\t\tids=(${position.listedBy.join(" ")})`,
		`\t\t\tfiles=${position.takesFiles ? 1 : 0} ;;`,
	];
}

/** What a command lists, for what stands on the line by now. */
function listed(command: string): string {
	return `_svc_lines ${command}`;
}

const IDS = "--field id --limit 100 --timeout 3s $context";

function valueLine(pattern: string, { word, values, takesFile, listedBy }: FlagChoice): string {
	if (word === "--profile") {
		return `\t\t(${pattern}) ${listed("svc profile list --field name")}; return ;;`;
	}
	const known = values.length > 0 ? `compadd -- ${values.join(" ")}` : "";
	const ids = listedBy.length > 0 ? listed(`svc ${listedBy.join(" ")} ${IDS}`) : "";
	return `\t\t(${pattern}) ${known || ids || (takesFile ? "_files" : ":")}; return ;;`;
}

function positionValues(position: Position): string[] {
	return valueFlags(position.flags).map((flag) => valueLine(quoted(`${positionName(position)} ${flag.word}`), flag));
}

/** `path` would be the shell's own search path, so the place among the words has another name. */
export function zshScript(positions: readonly Position[]): string {
	const below = positions.filter(({ path }) => path.length > 0);
	const globals = valueFlags(GLOBAL_CHOICES).map((flag) => valueLine(`*' ${flag.word}'`, flag));
	return `#compdef svc
# Completion of svc for zsh. Once: source <(svc completion zsh); for good: save it as _svc in a folder of $fpath
_svc_lines() {
	if [[ -z "\${_svc_kept-}" || "$*" != "$_svc_kept_of" ]] || ((SECONDS - _svc_kept_at >= ${KEPT_SECONDS})); then
		typeset -g _svc_kept="$("$@" 2>/dev/null)" _svc_kept_of="$*" _svc_kept_at=$SECONDS
	fi
	[[ -n "$_svc_kept" ]] && compadd -- "\${(@f)_svc_kept}"
}

_svc() {
	local place="" word prev="\${words[CURRENT-1]}"
	local -a choices flags ids context
	integer index files=0
	for ((index = 2; index < CURRENT; index++)); do
		word="\${words[index]}"
		case "$word" in
			(--profile|--app|--user)
				((++index < CURRENT)) && context+=("$word" "\${words[index]}") ;;
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
	((\${#ids})) && ${listed(`svc $ids ${IDS}`)}
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
