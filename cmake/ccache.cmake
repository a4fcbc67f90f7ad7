# Compiles through ccache where it is installed.
include_guard(GLOBAL)

find_program(MQB_CCACHE ccache)
mark_as_advanced(MQB_CCACHE)
if(MQB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Without these two ccache passes every file by that uses a precompiled header.
    set(CMAKE_C_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros" "${MQB_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()
