import { GLOBAL_CHOICES, type Position, positionName, valueFlags, wordsOf } from "./positions.ts";

/* Words are letters, digits, dashes and underscores, so that nothing in them is code. Names of profiles are not: they are compared, not expanded. */

function choiceLine(position: Position): string {
	const words = [...position.commands.map(({ word }) => word), ...position.words].join(" ");
	return `\t\t\t${positionName(position) || '""'}) choices="${words}"; flags="${wordsOf(position.flags)}" ;;`;
}

function valueLines(position: Position): string[] {
	return valueFlags(position.flags).map(
		({ word, values }) => `\t\t"${positionName(position)} ${word}") known="${values.join(" ")}" ;;`,
	);
}

function globalLine(flag: { readonly word: string; readonly values: readonly string[] }): string {
	if (flag.word === "--profile") return `\t\t*" --profile") _svc_profiles "$cur"; return ;;`;
	return `\t\t*" ${flag.word}") known="${flag.values.join(" ")}" ;;`;
}

/** The completion script for bash 3.2 and later. */
export function bashScript(positions: readonly Position[]): string {
	const below = positions.filter(({ path }) => path.length > 0);
	return `# Completion of svc for bash. Once: source <(svc completion bash); for good: put that line into ~/.bashrc
_svc_profiles() {
	local name
	while IFS= read -r name; do
		[[ "$name" == "$1"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
	done < <(svc profile list --field name 2>/dev/null)
}

_svc() {
	local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" place="" word index
	local choices="" flags="" known="-"
	COMPREPLY=()
	for ((index = 1; index < COMP_CWORD; index++)); do
		word="\${COMP_WORDS[index]}"
		case "$word" in
			${wordsOf(valueFlags(GLOBAL_CHOICES), "|")})
				[[ "\${COMP_WORDS[index+1]}" == "=" ]] && index=$((index + 1))
				index=$((index + 1))
				;;
			-*|=) ;;
			*)
				case "$place/$word" in
					${below.map(positionName).join("|")}) place="$place/$word" ;;
				esac
				;;
		esac
	done
	if [[ "$cur" == "=" ]]; then
		cur=""
	elif [[ "$prev" == "=" ]]; then
		prev="\${COMP_WORDS[COMP_CWORD-2]}"
	fi
	case "$place $prev" in
${[...valueFlags(GLOBAL_CHOICES).map(globalLine), ...positions.flatMap(valueLines)].join("\n")}
	esac
	if [[ "$known" != "-" ]]; then
		choices="$known"
	else
		case "$place" in
${positions.map(choiceLine).join("\n")}
		esac
		[[ "$cur" == -* ]] && choices="$flags ${wordsOf(GLOBAL_CHOICES)}"
	fi
	COMPREPLY=($(compgen -W "$choices" -- "$cur"))
}

complete -o default -F _svc svc
`;
}
