# Sourced by .ci/run and .ci/quick: `step NAME` begins a step and ends the one before. When the script ends,
# however it does, the time of each step is printed: by the clock, and of the processor over all threads.

steps=()
step_name=
script_begin=$(date +%s.%N)
times_file=$(mktemp)

step() {
    end_step
    step_name=$*
    step_begin=$(date +%s.%N)
    count_processor
    step_processor=$processor
    printf '\n== %s\n' "$step_name"
}

end_step() {
    [ -n "$step_name" ] || return 0
    count_processor
    steps+=("$(awk -v name="$step_name" -v begin="$step_begin" -v end="$(date +%s.%N)" \
        -v before="$step_processor" -v after="$processor" \
        'BEGIN { printf "%7.0f s %7.0f s  %s", end - begin, after - before, name }')")
    step_name=
}

# Sets `processor` to the seconds that all ended child processes have used. `times` in a pipe would be another
# shell's.
count_processor() {
    times >"$times_file"
    processor=$(awk 'NR == 2 {
        for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] }
        print sum
    }' "$times_file")
}

print_times() {
    local status=$?
    local last=$step_name
    end_step
    count_processor
    rm -f "$times_file"
    printf '\n== times\n%9s %9s\n' clock processor
    printf '%s\n' "${steps[@]}"
    awk -v begin="$script_begin" -v end="$(date +%s.%N)" -v processor="$processor" \
        'BEGIN { printf "%7.0f s %7.0f s  in all\n", end - begin, processor }'
    [ "$status" -eq 0 ] || echo "FAILED: $last"
}
trap print_times EXIT
