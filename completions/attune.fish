# Completion of attune for fish. Put it where fish finds it:
#   attune completion fish > ~/.config/fish/completions/attune.fish
function __attune_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
    for line in $lines[2..-1]
        echo $line
    end
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case directories
            __fish_complete_directories "$current" ''
    end
end
complete -c attune -f -k -a '(__attune_complete)'
