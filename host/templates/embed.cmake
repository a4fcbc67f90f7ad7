# Writes OUTPUT, a source file with the texts of all files below FOLDER. They travel inside the program, which so works wherever it is.
file(GLOB_RECURSE files RELATIVE "${FOLDER}" "${FOLDER}/*")
list(SORT files)
set(list "")
foreach(file IN LISTS files)
    file(READ "${FOLDER}/${file}" text)
    if(text MATCHES "^#!")
        set(executable true)
    else()
        set(executable false)
    endif()
    string(APPEND list "    {R\"MQBFILE(${file})MQBFILE\", R\"MQBFILE(${text})MQBFILE\", ${executable}},\n")
endforeach()
# One more than there are, since an array needs a member.
file(WRITE "${OUTPUT}.new" "#include \"host/templates/starter_files.hpp\"

namespace mqb::host {

namespace {

constexpr starter_file all[] = {
${list}    {}};

}  // namespace

std::span<const starter_file> starter_files() { return std::span{all}.first(std::size(all) - 1); }

}  // namespace mqb::host
")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")
