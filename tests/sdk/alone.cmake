# Every header of the SDK, as the only one that a program includes, compiles and links, whatever the level of checks. A failure is one
# of the build. The headers of calls also have their calls taken and completed, which is where the checks come in.
include_guard(GLOBAL)

set(sdk_calls_call connect_call control_call)
set(sdk_calls_receive_call receive_call settle_call)
set(sdk_calls_send_call send_call)
set(sdk_calls_store apply_call)

# One program that includes `header` and completes `calls`, at the level of checks `level`.
function(sdk_program_of header level)
    string(MAKE_C_IDENTIFIER "alone_${header}_${level}" name)
    set(content "#include <${header}>\n")
    foreach(call IN LISTS ARGN)
        string(APPEND content "template class mqb::sdk::operation<mqb::sdk::${call}>;\n")
    endforeach()
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/alone/${name}.cpp" CONTENT "${content}int main() {}\n" @ONLY)
    add_executable(sdk_${name} "${CMAKE_CURRENT_BINARY_DIR}/alone/${name}.cpp")
    target_link_libraries(sdk_${name} PRIVATE mqb::sdk Threads::Threads)
    target_compile_definitions(sdk_${name} PRIVATE MQB_SDK_CHECKS=${level})
    target_compile_options(sdk_${name} PRIVATE -O0 -U_FORTIFY_SOURCE)
    set_target_properties(sdk_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/alone")
endfunction()

file(GLOB_RECURSE sdk_headers RELATIVE "${PROJECT_SOURCE_DIR}/sdk/include" CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/sdk/include/*.hpp")
foreach(header IN LISTS sdk_headers)
    get_filename_component(stem "${header}" NAME_WE)
    sdk_program_of("${header}" 2 ${sdk_calls_${stem}})
    if(DEFINED sdk_calls_${stem})
        sdk_program_of("${header}" 0 ${sdk_calls_${stem}})
    endif()
endforeach()
