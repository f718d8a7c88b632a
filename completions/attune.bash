# Completion of attune for bash. Put this into ~/.bashrc:
#   source <(attune completion bash)
_attune() {
  local current=${COMP_WORDS[COMP_CWORD]} paths='' value _description program=("$1") first=1
  if [[ $1 == npx ]]; then
    [[ ${COMP_WORDS[1]} == attune ]] && ((COMP_CWORD > 1)) || return 0
    program+=(--no attune) first=2
  fi
  # An equals sign is a separate word; the text after it is completed.
  [[ $current == = ]] && current=''
  # Flags of the command come before shared flags.
  compopt -o nosort 2>/dev/null
  COMPREPLY=()
  while IFS=$'\t' read -r value _description; do
    if [[ -z $paths ]]; then paths=$value; continue; fi
    # Bash inserts what is in COMPREPLY as it is. With the names of files, it quotes everything itself.
    [[ $paths == files || $paths == directories ]] || printf -v value %q "$value"
    COMPREPLY+=("$value")
  done < <("${program[@]}" __complete -- "${COMP_WORDS[@]:first:COMP_CWORD-first}" "$current" 2>/dev/null)
  [[ $paths == files || $paths == directories ]] || return 0
  compopt -o filenames 2>/dev/null
  local kind=-f
  [[ $paths == directories ]] && kind=-d
  while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen "$kind" -- "$current")
}
complete -F _attune attune
complete -p npx &>/dev/null || complete -o default -F _attune npx
